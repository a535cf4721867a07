// launch.cc: a kernel launch from its checks to its last block.
#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>

#include "access.hpp"
#include "report.hpp"
#include "state.hpp"
#include "watchdog.hpp"

namespace camp_sim {

__thread Worker *current_worker = nullptr;

namespace {

// Values of cudaError_t, as in the CUDA runtime's documentation.
constexpr int error_invalid_value = 1;
constexpr int error_memory_allocation = 2;
constexpr int error_invalid_configuration = 9;
constexpr int error_launch_failure = 719;

std::mutex launch_mutex;  // one launch at a time: streams run one after the other
uint32_t generation = 0;
uint32_t generation_cycle = 0;  // how often the generations have begun anew
size_t opted_in_bytes = 0;

Worker &worker_of_this_thread() {
  static thread_local std::unique_ptr<Worker> worker;
  if (worker == nullptr) {
    worker = std::make_unique<Worker>();
  }
  current_worker = worker.get();
  return *worker;
}

std::string dims(const dim3 &d) {
  return "(" + std::to_string(d.x) + ", " + std::to_string(d.y) + ", " + std::to_string(d.z) + ")";
}

bool refuse(const KernelSite &site, int error, std::string message, std::string advice) {
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
    return refuse(site, error_invalid_configuration,
                  "the grid is " + dims(grid) + ": a launch needs at least one block",
                  "With nothing to do, return before the launch.");
  }
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (threads == 0) {
    return refuse(site, error_invalid_configuration,
                  "the block is " + dims(block) + ": a launch needs at least one thread",
                  "Round the number of threads up, not down.");
  }
  if (threads > Model::max_threads_per_block || block.z > Model::max_block_dim[2]) {
    return refuse(site, error_invalid_configuration,
                  "the block is " + dims(block) + ": " + std::to_string(threads) +
                      " threads, but 1024 threads per block (64 along z) is the limit; the kernel "
                      "never ran",
                  "Use at most 1024 threads a block and more blocks, or let a thread do more.");
  }
  const unsigned sizes[3] = {grid.x, grid.y, grid.z};
  for (int axis = 0; axis < 3; ++axis) {
    if (sizes[axis] > Model::max_grid_dim[axis]) {
      return refuse(site, error_invalid_configuration,
                    std::string("grid.") + "xyz"[axis] + " is " + std::to_string(sizes[axis]) +
                        ", but the limit is " + std::to_string(Model::max_grid_dim[axis]) +
                        "; the kernel never ran",
                    "Put the largest extent on grid.x, which goes to 2147483647, or loop.");
    }
  }
  const size_t bytes = config.dynamic_shared_bytes;
  if (bytes > Model::dynamic_shared_bytes_default && bytes > opted_in_bytes) {
    return refuse(site, error_invalid_value,
                  "the launch asks for " + std::to_string(bytes) +
                      " bytes of dynamic shared memory, but the default limit is 49152 (48 KiB); "
                      "the kernel never ran",
                  "Opt in with cudaFuncSetAttribute(kernel, "
                  "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), or loop over smaller "
                  "pieces.");
  }
  return true;
}

void run_share(Launch &launch) {
  Worker &worker = worker_of_this_thread();
  const WorkerGuard guard;
  worker.launch = &launch;
  worker.last_region[0] = worker.last_region[1] = nullptr;
  worker.barriers = 0;
  worker.counters.begin_launch();
  worker.shared.begin_launch(launch.config.dynamic_shared_bytes, launch.generation_cycle);
  for (Warp &warp : worker.warps) {
    warp.counters = WarpCounters{};
  }
  while (!launch.abandoned.load(std::memory_order_relaxed)) {
    const uint64_t next = launch.next_block.fetch_add(1);
    if (next >= launch.block_count) {
      break;
    }
    // A permutation, the multiplier being coprime to the count; both stay below 2^32.
    const uint64_t block =
        (next * launch.order_multiplier + launch.order_offset) % launch.block_count;
    worker.run_block(block);
  }
  {
    const std::lock_guard<std::mutex> lock(launch.counters_mutex);
    launch.counters.add(worker.counters.totals());
  }
  launch.barriers.fetch_add(worker.barriers);
  worker.launch = nullptr;
}

// Host threads kept between launches; the launching thread takes a share itself.
class Crew {
 public:
  ~Crew() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread &thread : threads_) {
      thread.join();
    }
  }
  void run(Launch &launch, uint32_t helpers) {
    while (threads_.size() < helpers) {
      threads_.emplace_back([this] { serve(); });
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      launch_ = &launch;
      wanted_ = helpers;
      running_ = helpers;
    }
    wake_.notify_all();
    run_share(launch);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stop_ || wanted_ > 0; });
      if (stop_) {
        return;
      }
      --wanted_;
      Launch *launch = launch_;
      lock.unlock();
      run_share(*launch);
      lock.lock();
      if (--running_ == 0) {
        done_.notify_all();
      }
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;
  Launch *launch_ = nullptr;
  uint32_t wanted_ = 0;
  uint32_t running_ = 0;
  bool stop_ = false;
};

void order_blocks(Launch &launch) {
  const uint64_t seed = launch.options.schedule_seed;
  const uint64_t count = launch.block_count;
  if (seed == 0 || count < 2 || count > UINT32_MAX) {
    return;
  }
  launch.order_offset = (seed * 0x9E3779B97F4A7C15ULL >> 17) % count;
  uint64_t multiplier = (seed >> 3 | 1) % count;
  while (multiplier == 0 || std::gcd(multiplier, count) != 1) {
    multiplier = (multiplier + 1) % count;
  }
  launch.order_multiplier = multiplier;
}

void next_generation(Launch &launch) {
  if (++generation == Cell::generations) {
    generation = 1;
    ++generation_cycle;
    regions().forget_accesses();  // cells of old launches would look like this one's
  }
  launch.generation = generation;
  launch.generation_cycle = generation_cycle;
}

}  // namespace

Options &options() {
  static Options current;
  return current;
}

void set_dynamic_shared_limit(const void *, size_t bytes) {
  // A launch does not know its kernel's address (it may be an overloaded template): the limit is
  // kept for the process.
  opted_in_bytes = std::max(opted_in_bytes, bytes);
}

void run_launch(const KernelSite &site, const LaunchConfig &config, void (*entry)(void *),
                void *frame, size_t frame_bytes) {
  if (worker_in_kernel(this_worker()) != nullptr) {
    kernel_trap("trap", "a kernel launches a kernel: dynamic parallelism needs a GPU",
                Site{site.file, site.line});
  }
  if (!check_limits(site, config)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(launch_mutex);
  try {
    Launch launch;
    launch.site = site;
    launch.config = config;
    launch.entry = entry;
    launch.frame = frame;
    launch.frame_bytes = frame_bytes;
    launch.options = options();
    launch.block_count = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    launch.threads = config.block.x * config.block.y * config.block.z;
    launch.track_blocks = launch.block_count <= Cell::max_blocks;
    launch.deadline =
        std::chrono::steady_clock::now() + std::chrono::milliseconds(launch.options.time_limit_ms);
    order_blocks(launch);
    next_generation(launch);
    regions().add_module_of(reinterpret_cast<const void *>(entry));
    regions().refresh();
    uint32_t workers = launch.options.workers;
    if (workers == 0) {
      workers = std::max(1u, std::thread::hardware_concurrency());
    }
    workers = static_cast<uint32_t>(std::min<uint64_t>(workers, launch.block_count));
    {
      const Watchdog watchdog(launch);
      static Crew *const crew = new Crew;  // never destroyed: a lane may be lost inside its threads
      crew->run(launch, workers - 1);
    }
    launch_log().add(launch);
    if (launch.killed_lanes.load() != 0 || launch.abandoned.load()) {
      set_last_error(error_launch_failure);
    }
  } catch (const std::bad_alloc &) {
    set_last_error(error_memory_allocation);
  }
}

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
  // Opting in raises the dynamic part alone; what bounds both together is the multiprocessor.
  const size_t limit = dynamic > 0 && opted_in_bytes > 0
                           ? DeviceModel::shared_bytes_optin
                           : DeviceModel::dynamic_shared_bytes_default;
  if (range.bytes == 0 || total > DeviceModel::static_shared_bytes || total + dynamic > limit) {
    refuse(launch.site, error_invalid_value,
           "the kernel needs " + std::to_string(total) + " bytes of static and " +
               std::to_string(dynamic) + " bytes of dynamic shared memory, but the limit is " +
               std::to_string(limit) + " together; it would never run",
           "Use smaller tiles, or dynamic shared memory with the opt-in attribute.");
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

void atomic_access(const volatile void *address, size_t bytes, bool writes, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const auto at = reinterpret_cast<uintptr_t>(address);
  static_cast<void>(writes);  // an atomic load needs no write, but orders like one
  check_access(*worker, at, bytes, AccessKind::atomic, CodeSite{__builtin_return_address(0), site});
  Lane &lane = *worker->current;
  Launch &launch = *worker->launch;
  if (lane.fenced != nullptr || launch.fences.load(std::memory_order_relaxed)) {
    const Inside inside(*worker);
    const uint64_t key =
        worker->shared.contains(at)
            ? uint64_t{1} << 63 | worker->block_linear << 20 | worker->shared.offset_of(at)
            : at;
    launch.sync.meet(key, lane.fenced, lane.acquired);
  }
  worker->give_way();
}

void plain_access(const volatile void *address, size_t bytes, bool writes, Site site) {
  if (Worker *worker = worker_in_kernel(this_worker())) {
    check_access(*worker, reinterpret_cast<uintptr_t>(address), bytes,
                 writes ? AccessKind::write : AccessKind::read,
                 CodeSite{__builtin_return_address(0), site});
  }
}

void memory_fence(Scope, Site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const Inside inside(*worker);
  Lane &lane = *worker->current;
  auto release = std::make_shared<Release>();
  release->block = static_cast<uint32_t>(worker->block_linear & (Cell::max_blocks - 1));
  release->thread = lane.thread;
  release->clock = lane.clock;
  release->block_clock = worker->block_clock;
  release->acquired = lane.acquired;
  release->acquired.add(worker->block_acquired);
  lane.fenced = std::move(release);
  worker->note_clock(++lane.clock);
  worker->launch->fences.store(true, std::memory_order_relaxed);
}

void kernel_trap(const char *kind, const char *message, Site site) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    std::terminate();
  }
  Fault fault = worker->fault_here(kind, "CRASH", CodeSite{__builtin_return_address(0), site});
  fault.message =
      std::string(std::strcmp(kind, "assertion") == 0 ? "an assertion failed: " : "") + message;
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
