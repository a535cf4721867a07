// launch.cc: a kernel launch from its checks to its last block.
#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <thread>

#include "cudart_graph.hpp"
#include "kernel_names.hpp"
#include "limits.hpp"
#include "report.hpp"
#include "state.hpp"
#include "watchdog.hpp"

namespace camp_sim {

__thread Worker *current_worker = nullptr;

namespace {

std::mutex launch_mutex;  // one launch at a time: streams run one after the other
uint32_t generation = 0;
uint32_t generation_cycle = 0;  // how often the generations have begun anew

// Instrumented code runs after a thread's own variables are gone: in the destructors of statics.
struct WorkerOwner {
  std::unique_ptr<Worker> worker;
  ~WorkerOwner() { current_worker = nullptr; }
};

Worker &worker_of_this_thread() {
  static thread_local WorkerOwner owner;
  if (owner.worker == nullptr) {
    owner.worker = std::make_unique<Worker>();
  }
  current_worker = owner.worker.get();
  return *owner.worker;
}

// The block that comes at place `next` of the schedule.
uint64_t scheduled_block(const Launch &launch, uint64_t next) {
  const uint64_t last = launch.block_count - 1;
  if (launch.run_blocks < launch.block_count) {
    // From the last, whose indices are the largest, evenly down to the first.
    return next + 1 == launch.run_blocks ? 0 : last - last / (launch.run_blocks - 1) * next;
  }
  // A permutation, the multiplier being coprime to the count; both stay below 2^32.
  return (next * launch.order_multiplier + launch.order_offset) % launch.block_count;
}

void run_share(Launch &launch) {
  Worker &worker = worker_of_this_thread();
  const WorkerGuard guard;
  worker.launch = &launch;
  worker.frame_begin = reinterpret_cast<uintptr_t>(launch.frame);
  worker.frame_bytes = launch.frame_bytes;
  std::fill(std::begin(worker.recent), std::end(worker.recent), RecentTarget{});
  worker.barriers = 0;
  worker.counters.begin_launch();
  worker.shared.begin_launch(launch.config.dynamic_shared_bytes, launch.generation_cycle);
  for (Warp &warp : worker.warps) {
    warp.counters = WarpCounters{};
  }
  expect_kernel_name();
  while (!launch.abandoned.load(std::memory_order_relaxed)) {
    const uint64_t next = launch.next_block.fetch_add(1);
    if (next >= launch.run_blocks) {
      break;
    }
    worker.run_block(scheduled_block(launch, next));
  }
  {
    const std::lock_guard<std::mutex> lock(launch.counters_mutex);
    launch.counters.add(worker.counters.totals());
    add_blocks(launch.blocks, worker.counters.blocks());
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

// In a stream that records, the launch becomes a node with a copy of the arguments, which a kernel
// takes by value and bytewise.
bool record_launch(const KernelSite &site, const LaunchConfig &config, void (*entry)(void *),
                   const void *frame, size_t frame_bytes) {
  const auto stream = static_cast<cudaStream_t>(config.stream);
  if (!is_recording(stream)) {
    return false;
  }
  std::vector<std::max_align_t> kept(frame_bytes / sizeof(std::max_align_t) + 1);
  std::memcpy(kept.data(), frame, frame_bytes);
  LaunchConfig later = config;
  later.stream = nullptr;
  const auto tensors = regions().keep_bound();
  return record_node(stream, [=]() mutable {
    regions().bind_again(tensors);
    run_launch(site, later, entry, kept.data(), frame_bytes);
    regions().unbind();
  });
}

}  // namespace

Options &options() {
  static Options current;
  return current;
}

void run_launch(const KernelSite &site, const LaunchConfig &config, void (*entry)(void *),
                void *frame, size_t frame_bytes) {
  if (worker_in_kernel(this_worker()) != nullptr) {
    kernel_trap("trap", "a kernel launches a kernel: dynamic parallelism needs a GPU",
                Site{site.file, site.line});
  }
  if (!check_limits(site, config) || record_launch(site, config, entry, frame, frame_bytes)) {
    return;
  }
  const std::lock_guard<std::mutex> lock(launch_mutex);
  try {
    Launch launch;
    launch.site = site;
    launch.kernel = site.name;
    launch.config = config;
    launch.entry = entry;
    launch.frame = frame;
    launch.frame_bytes = frame_bytes;
    launch.options = options();
    launch.block_count = uint64_t{config.grid.x} * config.grid.y * config.grid.z;
    const uint64_t most = launch.options.most_blocks;
    launch.run_blocks = most == 0 ? launch.block_count : std::min(most, launch.block_count);
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
    workers = static_cast<uint32_t>(std::min<uint64_t>(workers, launch.run_blocks));
    {
      const Watchdog watchdog(launch);
      static Crew *const crew = new Crew;  // never destroyed: a lane may be lost inside its threads
      crew->run(launch, workers - 1);
    }
    if (const int error = launch.refused.load()) {
      set_last_error(error);
      return;
    }
    launch_log().add(launch);
    if (launch.killed_lanes.load() != 0 || launch.abandoned.load()) {
      set_last_error(error_launch_failure);
    }
  } catch (const std::bad_alloc &) {
    set_last_error(error_memory_allocation);
  }
}

}  // namespace camp_sim
