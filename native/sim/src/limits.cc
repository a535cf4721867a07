// limits.cc: what a launch may ask of the simulated GPU.
#include "limits.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fault.hpp"

namespace camp_sim {
namespace {

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
    return refuse_launch(site, error_invalid_value,
                         "the grid is " + dims(grid) + ": a launch needs at least one block",
                         "With nothing to do, return before the launch.");
  }
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0) {
    return refuse_launch(site, error_invalid_value,
                         "the block is " + dims(block) + ": a launch needs at least one thread",
                         "Round the number of threads up, not down.");
  }
  if (threads > Model::max_threads_per_block || block.z > Model::max_block_dim[2]) {
    return refuse_launch(
        site, error_invalid_value,
        "the block is " + dims(block) + ": " + std::to_string(threads) +
            " threads, but 1024 threads per block (64 along z) is the limit; the kernel "
            "never ran",
        "Use at most 1024 threads a block and more blocks, or let a thread do more.");
  }
  const unsigned sizes[3] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes[axis] > Model::max_grid_dim[axis]) {
      return refuse_launch(site, error_invalid_value,
                           std::string("grid.") + "xyz"[axis] + " is " +
                               std::to_string(sizes[axis]) + ", but the limit is " +
                               std::to_string(Model::max_grid_dim[axis]) + "; the kernel never ran",
                           "Put the largest extent on grid.x, which goes to 2147483647, or loop.");
    }
  }
  if (config.dynamic_shared_bytes > Model::shared_bytes_optin) {
    return refuse_launch(site, error_invalid_value,
                         "the launch asks for " + std::to_string(config.dynamic_shared_bytes) +
                             " bytes of dynamic shared memory, but a block has at most " +
                             std::to_string(Model::shared_bytes_optin) + "; the kernel never ran",
                         "Loop over smaller pieces.");
  }
  return true;
}

bool check_kernel(const KernelSite &site, const LaunchConfig &config, const KernelFacts &facts) {
  using Model = DeviceModel;
  const uint64_t threads = uint64_t{config.block.x} * config.block.y * config.block.z;
  if (threads > static_cast<uint64_t>(facts.max_threads)) {
    return refuse_launch(site, error_invalid_value,
                         "the block is " + dims(config.block) + ": " + std::to_string(threads) +
                             " threads, but __launch_bounds__ promised at most " +
                             std::to_string(facts.max_threads) + "; the kernel never ran",
                         "Launch at most as many threads a block, or raise the bound.");
  }
  const size_t bytes = config.dynamic_shared_bytes;
  if (bytes > facts.dynamic_shared_limit) {
    const size_t fixed = facts.static_shared_bytes;
    const size_t both = fixed + facts.dynamic_shared_limit;
    const std::string limit =
        both == Model::dynamic_shared_bytes_default
            ? "without opting in the limit is " + std::to_string(both) + " (48 KiB)"
            : "this kernel opted in to " + std::to_string(facts.dynamic_shared_limit);
    const std::string beside =
        fixed == 0 ? "" : " beside " + std::to_string(fixed) + " static ones";
    return refuse_launch(site, error_invalid_value,
                         "the launch asks for " + std::to_string(bytes) +
                             " bytes of dynamic shared memory" + beside + ", but " + limit +
                             "; the kernel never ran",
                         "Opt in with cudaFuncSetAttribute(kernel, "
                         "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), for this kernel, or "
                         "loop over smaller pieces.");
  }
  return true;
}

size_t shared_limit(const KernelFacts &facts) {
  // Opting in raises the dynamic part alone; what bounds both together is the multiprocessor.
  const size_t both = facts.static_shared_bytes + facts.dynamic_shared_limit;
  return both > DeviceModel::dynamic_shared_bytes_default
             ? DeviceModel::shared_bytes_optin
             : DeviceModel::dynamic_shared_bytes_default;
}

}  // namespace camp_sim
