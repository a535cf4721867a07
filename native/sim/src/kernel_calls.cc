// kernel_calls.cc: what kernel code asks of the simulator besides waiting: shared variables,
// atomics, fences, traps; and what the host tells it of memory.
#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "access.hpp"
#include "limits.hpp"
#include "state.hpp"

namespace camp_sim {

void *shared_address(const SharedVariable *variable, size_t bytes, size_t alignment,
                     size_t element_bytes) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    std::terminate();  // translated code names shared variables in kernels only
  }
  if (const SharedRange *known = worker->shared.find(variable)) {
    return worker->shared.pointer(*known);
  }
  const Inside inside(*worker);
  Launch &launch = *worker->launch;
  const SharedRange range = launch.shared_layout.place(variable, bytes, alignment, element_bytes);
  const size_t total = range.packed + bytes;
  const size_t dynamic = launch.config.dynamic_shared_bytes;
  const size_t limit = launch.shared_limit.load(std::memory_order_relaxed);
  if (range.bytes == 0 || total > DeviceModel::static_shared_bytes || total + dynamic > limit) {
    refuse_launch(launch.site, error_invalid_value,
                  "the kernel needs " + std::to_string(total) + " bytes of static and " +
                      std::to_string(dynamic) +
                      " bytes of dynamic shared memory, but the limit is " + std::to_string(limit) +
                      " together; it would never run",
                  "Use smaller tiles, or dynamic shared memory with the opt-in attribute.");
    launch.refused.store(error_invalid_value);
    launch.abandoned.store(true);
    worker->end_lane(LaneState::killed);
  }
  const SharedRange &placed = worker->shared.add(range);
  worker->shared.poison(placed, launch.options.poison);
  return worker->shared.pointer(placed);
}

void *dynamic_shared_address(size_t element_bytes) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    std::terminate();
  }
  SharedRange &range = worker->shared.dynamic();
  range.element_bytes = element_bytes;
  return worker->shared.pointer(range);
}

void atomic_access(const volatile void *address, size_t bytes, Scope scope, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const auto at = reinterpret_cast<uintptr_t>(address);
  const AccessKind kind = scope == Scope::block ? AccessKind::block_atomic : AccessKind::atomic;
  check_access(*worker, Access{at, bytes, kind, CodeSite{__builtin_return_address(0), site}});
  Lane &lane = *worker->current;
  const Inside inside(*worker);
  lane.comparing = false;
  lane.ledger->atomic_key =
      worker->shared.contains(at)
          ? uint64_t{1} << 63 | worker->block_linear << 20 | worker->shared.offset_of(at)
          : at;
  lane.unsettled = true;
  if (lane.informed && lane.ledger->fenced != nullptr) {
    worker->launch->sync.publish(lane.ledger->atomic_key, lane.ledger->fenced);
  } else if (worker->block_fenced != nullptr) {
    worker->launch->sync.publish(lane.ledger->atomic_key, worker->block_fenced);
  }
  worker->give_way();
}

void compares(const volatile void *address, size_t bytes) {
  if (Worker *worker = worker_in_kernel(this_worker())) {
    PendingOverwrite &pending = worker->current->ledger->overwrite;
    const uintptr_t offset = pending.parts[0].address - reinterpret_cast<uintptr_t>(address);
    if (pending.is_guess() && offset < bytes) {
      pending.count = 0;
    }
    worker->current->comparing = true;
  }
}

void plain_access(const volatile void *address, size_t bytes, bool writes, Site site) {
  if (Worker *worker = worker_in_kernel(this_worker())) {
    check_access(*worker, Access{reinterpret_cast<uintptr_t>(address), bytes,
                                 writes ? AccessKind::write : AccessKind::read,
                                 CodeSite{__builtin_return_address(0), site}});
  }
}

void memory_fence(Scope scope, Site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const Inside inside(*worker);
  Lane &lane = *worker->current;
  settle(*worker, lane);
  auto release = std::make_shared<Release>();
  release->block = worker->cell_block();
  release->block_clock = worker->block_clock;
  // Also what __syncwarp has made it know of the other lanes.
  const Warp &warp = *lane.warp;
  release->first_thread = lane.thread - lane.lane;
  for (uint32_t i = 0; i < warp.count; ++i) {
    const uint32_t known = warp.clocks.partial ? warp.clocks.known[lane.lane][i] : 0;
    release->clocks.push_back(i == lane.lane ? lane.clock : std::max(known, warp.clocks.base - 1));
  }
  release->acquired = lane.ledger->acquired;
  release->acquired.add(worker->block_acquired);
  if (scope == Scope::block) {
    const auto &own = lane.ledger->fenced;
    const auto &last = lane.informed && own != nullptr ? own : worker->block_fenced;
    release->block_only = true;
    release->wider = last != nullptr && last->block_only ? last->wider : last;
  }
  lane.ledger->fenced = std::move(release);
  lane.informed = true;
  worker->set_clock(lane, lane.clock + 1);
  worker->launch->fences.store(true, std::memory_order_relaxed);
}

void kernel_trap(const char *kind, const char *message, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    std::terminate();
  }
  const Inside inside(*worker);
  const bool failed = std::strcmp(kind, "assertion") == 0;
  Fault fault = worker->fault_here(kind, "CRASH", CodeSite{__builtin_return_address(0), site});
  fault.message =
      std::string(failed ? "an assertion failed: " : "a thread stopped the kernel: ") + message;
  fault.advice = failed ? "Print the values in the condition for this thread, and follow them back."
                        : "On a GPU one trap ends the launch and spoils the context: return a "
                          "status, or keep the kernel from getting here.";
  fault_log().add(std::move(fault));
  worker->launch->abandoned.store(true);
  worker->end_lane(LaneState::killed);
}

void register_allocation(void *pointer, size_t bytes, const char *name) {
  regions().add_allocation(pointer, bytes, name);
}

void unregister_allocation(void *pointer) {
  regions().remove_allocation(pointer);
}

void host_wrote(const void *pointer, size_t bytes) {
  regions().mark_written(pointer, bytes);
}

}  // namespace camp_sim
