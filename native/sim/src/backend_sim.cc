// backend_sim.cc: what surrounds an execute on the simulator, and the simulator's own C interface.
#include "backend.hpp"

#include <cuda_runtime.h>

#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "cuda_status.hpp"
#include "operator_runtime/extension.hpp"
#include "operator_runtime/simulator.h"
#include "report.hpp"
#include "state.hpp"

namespace camp::backend {
namespace {
thread_local const char *running = "";

// Held from begin to finish: the tensors bound are those of one execute.
std::mutex executing;
}  // namespace

void begin(const char *operator_name, const Binding *bindings, size_t count) {
  executing.lock();
  running = operator_name;
  std::vector<camp_sim::Region> bound(count);
  for (size_t i = 0; i < count; ++i) {
    camp_sim::Region &region = bound[i];
    region.begin = reinterpret_cast<uintptr_t>(bindings[i].pointer);
    region.end = region.begin + bindings[i].bytes;
    region.name = bindings[i].name;
    region.element_bytes = bindings[i].element_bytes == 0 ? 1 : bindings[i].element_bytes;
    region.writable = bindings[i].writable;
    region.kind = camp_sim::Region::Kind::tensor;
    try {
      // A launch of which only some blocks run leaves gaps: what is read or raced proves nothing.
      if (region.writable && camp_sim::options().most_blocks == 0) {
        region.make_shadow();
        if (bindings[i].kept) camp_sim::regions().keep_written(region);
      }
    } catch (const std::bad_alloc &) {
      // Without shadow the tensor's bounds are still checked, its races and first reads are not.
    }
  }
  camp_sim::regions().bind(std::move(bound));
  camp_sim::fault_log().begin_execution();
  (void)cudaGetLastError();
}

camp_status_t finish() {
  const std::lock_guard<std::mutex> lock(executing, std::adopt_lock);
  camp_sim::regions().unbind();
  const cudaError_t code = cudaGetLastError();
  if (camp_sim::fault_log().has_error()) {
    const std::string message = camp_sim::fault_log().first_message();
    const bool refused = code == cudaErrorInvalidConfiguration || code == cudaErrorInvalidValue;
    return fail(refused ? CAMP_STATUS_LAUNCH_FAILED : CAMP_STATUS_KERNEL_FAULT, "%s: %s", running,
                message.c_str());
  }
  return code == cudaSuccess ? CAMP_STATUS_SUCCESS
                             : fail_launch(running, static_cast<int>(code), cudaGetErrorName(code),
                                           cudaGetErrorString(code));
}

void clear(void *workspace, size_t bytes, camp_stream_t stream) {
  (void)cudaMemsetAsync(workspace, 0, bytes, static_cast<cudaStream_t>(stream));
  (void)cudaGetLastError();
}

}  // namespace camp::backend

extern "C" camp_status_t camp_sim_configure(const camp_sim_options_t *given) {
  camp_sim::Options chosen;
  if (given != nullptr) {
    for (const uint8_t byte : given->reserved) {
      if (byte != 0) {
        return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "reserved bytes of the options must be 0");
      }
    }
    chosen.schedule_seed = given->schedule_seed;
    chosen.workers = given->workers;
    chosen.time_limit_ms = given->time_limit_ms;
    chosen.poison = given->poison;
    chosen.most_blocks = given->most_blocks;
  }
  camp_sim::options() = chosen;
  return CAMP_STATUS_SUCCESS;
}

extern "C" const char *camp_sim_take_report(void) {
  static std::string report;
  report = camp_sim::make_report(camp_sim::fault_log().take(), camp_sim::launch_log().take());
  return report.c_str();
}
