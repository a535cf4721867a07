// limits.cc: what a launch may ask of the simulated GPU.
#include "limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fault.hpp"

namespace camp_sim {
namespace {

size_t opted_in_bytes = 0;

std::string dims(const dim3 &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

}  // namespace

bool refuse_launch(const KernelSite &site, int error, std::string message, std::string advice) {
  Fault fault;
  fault.kind = "launch_limit";
  fault.verdict = "LAUNCH";
  fault.kernel = site.name;
  fault.site = CodeSite{nullptr, {site.file, site.line}};
  fault.message = std::move(message);
  fault.advice = std::move(advice);
  fault_log().add(std::move(fault));
  set_last_error(error);
  return false;
}

bool check_limits(const KernelSite &site, const LaunchConfig &config) {
  using Model = DeviceModel;
  const dim3 &grid = config.grid;
  const dim3 &block = config.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) {
    return refuse_launch(site, error_invalid_configuration,
                         "the grid is " + dims(grid) + ": a launch needs at least one block",
                         "With nothing to do, return before the launch.");
  }
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0) {
    return refuse_launch(site, error_invalid_configuration,
                         "the block is " + dims(block) + ": a launch needs at least one thread",
                         "Round the number of threads up, not down.");
  }
  if (threads > Model::max_threads_per_block || block.z > Model::max_block_dim[2]) {
    return refuse_launch(
        site, error_invalid_configuration,
        "the block is " + dims(block) + ": " + std::to_string(threads) +
            " threads, but 1024 threads per block (64 along z) is the limit; the kernel "
            "never ran",
        "Use at most 1024 threads a block and more blocks, or let a thread do more.");
  }
  const unsigned sizes[3] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes[axis] > Model::max_grid_dim[axis]) {
      return refuse_launch(site, error_invalid_configuration,
                           std::string("grid.") + "xyz"[axis] + " is " +
                               std::to_string(sizes[axis]) + ", but the limit is " +
                               std::to_string(Model::max_grid_dim[axis]) + "; the kernel never ran",
                           "Put the largest extent on grid.x, which goes to 2147483647, or loop.");
    }
  }
  const size_t bytes = config.dynamic_shared_bytes;
  if (bytes > Model::dynamic_shared_bytes_default && bytes > opted_in_bytes) {
    return refuse_launch(
        site, error_invalid_value,
        "the launch asks for " + std::to_string(bytes) +
            " bytes of dynamic shared memory, but the default limit is 49152 (48 KiB); "
            "the kernel never ran",
        "Opt in with cudaFuncSetAttribute(kernel, "
        "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), or loop over smaller "
        "pieces.");
  }
  return true;
}

void set_dynamic_shared_limit(const void *, size_t bytes) {
  // A launch does not know its kernel's address (it may be an overloaded template): the limit is
  // kept for the process.
  opted_in_bytes = std::max(opted_in_bytes, bytes);
}

size_t shared_limit(size_t dynamic_bytes) {
  // Opting in raises the dynamic part alone; what bounds both together is the multiprocessor.
  return dynamic_bytes > 0 && opted_in_bytes > 0 ? DeviceModel::shared_bytes_optin
                                                 : DeviceModel::dynamic_shared_bytes_default;
}

}  // namespace camp_sim
