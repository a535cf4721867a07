// watchdog.cc: signals. A handler that finds the thread inside a lane ends that lane by switching
// to the scheduler, never to return; anywhere else the signal goes where it went before.
#include "watchdog.hpp"

#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <condition_variable>
#include <string>
#include <thread>
#include <vector>

namespace camp_sim {
namespace {

constexpr int interrupt_signal = SIGURG;  // ignored by default, and used by nobody's kernel
constexpr size_t signal_stack_bytes = 64 * 1024;

std::mutex threads_mutex;
std::vector<pthread_t> threads;
struct sigaction old_segv;
struct sigaction old_bus;
struct sigaction old_fpe;
struct sigaction old_interrupt;

const void *program_counter(void *context) {
  auto *user = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
  return reinterpret_cast<const void *>(user->uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void *>(user->uc_mcontext.pc);
#endif
}

// The segment of code that holds the kernel being run.
struct Code {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  bool contains(uintptr_t address) const { return address >= begin && address < end; }
};
Code learner_code;

int find_code(dl_phdr_info *info, size_t, void *entry) {
  const auto wanted = reinterpret_cast<uintptr_t>(entry);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const Code code{begin, begin + header.p_memsz};
    if (header.p_type == PT_LOAD && code.contains(wanted)) {
      learner_code = code;
      return 1;
    }
  }
  return 0;
}

// Where in the learner's code a signal found the lane. In a function that it calls, of the
// simulator or of a library, that is the last access.
const void *learner_counter(const Worker &worker, void *context) {
  const void *const counter = program_counter(context);
  const bool there = !worker.inside && learner_code.contains(reinterpret_cast<uintptr_t>(counter));
  return there || worker.last_pc == nullptr ? counter : worker.last_pc;
}

void report_endless(Worker &worker, const CodeSite &site) {
  Fault fault = worker.fault_here("endless_loop", "HANG", site);
  fault.message = "the kernel did not end within " +
                  std::to_string(worker.launch->options.time_limit_ms) +
                  " ms; this is where a thread was";
  fault.advice = "Check that the loop's variable moves towards its end, and by how much.";
  fault_log().add(std::move(fault));
}

void on_interrupt(int, siginfo_t *, void *context) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr || worker->inside || !worker->launch->expired.load()) {
    return;
  }
  stop_expired(*worker, CodeSite{learner_counter(*worker, context), {nullptr, 0}});
}

void pass_on(int signal, siginfo_t *info, void *context, const struct sigaction &old) {
  if ((old.sa_flags & SA_SIGINFO) != 0 && old.sa_sigaction != nullptr) {
    old.sa_sigaction(signal, info, context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else {
    ::signal(signal,
             SIG_DFL);  // returning repeats the access, and the process ends as it would have
  }
}

void on_fault(int signal, siginfo_t *info, void *context) {
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    pass_on(signal, info, context,
            signal == SIGSEGV  ? old_segv
            : signal == SIGBUS ? old_bus
                               : old_fpe);
    return;
  }
  // A stack may run full inside the simulator's own code.
  const CodeSite site{learner_counter(*worker, context), {nullptr, 0}};
  worker->inside = true;
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (signal == SIGFPE) {
    Fault fault = worker->fault_here("trap", "CRASH", site);
    fault.message = "a thread divides an integer by zero";
    fault.advice = "On a GPU the result is undefined and nothing is reported: test the divisor.";
    fault_log().add(std::move(fault));
  } else if (worker->stacks.is_guard(address)) {
    Fault fault = worker->fault_here("stack_overflow", "CRASH", site);
    fault.message = "a thread's stack is full";
    fault.advice = "Look for endless recursion, or for a large local array.";
    fault_log().add(std::move(fault));
  } else {
    Fault fault =
        worker->fault_here(address < 4096 ? "null_pointer" : "out_of_bounds", "OOB", site);
    fault.message = address < 4096 ? "a thread follows a null pointer"
                                   : "a thread touches memory that does not exist";
    fault.advice = "Check the pointer arithmetic before this line.";
    fault_log().add(std::move(fault));
  }
  worker->end_lane(LaneState::killed);
}

void install(int signal, void (*handler)(int, siginfo_t *, void *), int flags,
             struct sigaction *old) {
  struct sigaction action{};
  action.sa_sigaction = handler;
  // NODEFER: the handler leaves by a switch, and the signal must stay open for the next lane.
  action.sa_flags = SA_SIGINFO | SA_NODEFER | flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, old);
}

// The thread that watches the clock, alive only while a limited launch runs.
class Timer {
 public:
  void start(Launch &launch) {
    stop_ = false;
    thread_ = std::thread([this, &launch] { watch(launch); });
  }
  void stop() {
    if (!thread_.joinable()) {
      return;
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

 private:
  void watch(Launch &launch) {
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait_until(lock, launch.deadline, [this] { return stop_; });
    while (!stop_) {
      launch.expired.store(true);
      {
        const std::lock_guard<std::mutex> guard(threads_mutex);
        for (pthread_t thread : threads) {
          pthread_kill(thread, interrupt_signal);
        }
      }
      // Again until the launch ends: a lane may have been between two switches.
      wake_.wait_for(lock, std::chrono::milliseconds(20), [this] { return stop_; });
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

Timer &timer() {
  static Timer instance;
  return instance;
}

}  // namespace

bool launch_expired(Launch &launch) {
  if (launch.options.time_limit_ms == 0 || std::chrono::steady_clock::now() < launch.deadline) {
    return false;
  }
  launch.expired.store(true);
  if (!launch.abandoned.exchange(true)) {
    Worker &worker = *this_worker();
    const Lane *waiting = nullptr;
    for (const Lane &lane : worker.lanes) {
      waiting = waiting == nullptr && lane.alive() ? &lane : waiting;
    }
    report_endless(worker, waiting != nullptr ? waiting->waiting_at : CodeSite{});
  }
  return true;
}

void stop_expired(Worker &worker, CodeSite site) {
  worker.inside = true;  // the next interrupt must not end the lane while it holds a lock
  if (!worker.launch->abandoned.exchange(true)) {
    report_endless(worker, site);
  }
  worker.end_lane(LaneState::killed);
}

Watchdog::Watchdog(Launch &launch) {
  dl_iterate_phdr(find_code, reinterpret_cast<void *>(launch.entry));
  install(SIGSEGV, on_fault, SA_ONSTACK, &old_segv);
  install(SIGBUS, on_fault, SA_ONSTACK, &old_bus);
  install(SIGFPE, on_fault, SA_ONSTACK, &old_fpe);
  install(interrupt_signal, on_interrupt, 0, &old_interrupt);
  if (launch.options.time_limit_ms != 0) {
    timer().start(launch);
  }
}

Watchdog::~Watchdog() {
  timer().stop();
  sigaction(SIGSEGV, &old_segv, nullptr);
  sigaction(SIGBUS, &old_bus, nullptr);
  sigaction(SIGFPE, &old_fpe, nullptr);
  sigaction(interrupt_signal, &old_interrupt, nullptr);
}

namespace {
thread_local stack_t previous_stack;
thread_local void *signal_stack = nullptr;
}  // namespace

WorkerGuard::WorkerGuard() {
  if (signal_stack == nullptr) {
    // Kept for the life of the thread: 64 KB, touched only when a fault happens.
    signal_stack = mmap(nullptr, signal_stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (signal_stack != MAP_FAILED) {
    stack_t stack{};
    stack.ss_sp = signal_stack;
    stack.ss_size = signal_stack_bytes;
    sigaltstack(&stack, &previous_stack);
  }
  const std::lock_guard<std::mutex> guard(threads_mutex);
  threads.push_back(pthread_self());
}

WorkerGuard::~WorkerGuard() {
  {
    const std::lock_guard<std::mutex> guard(threads_mutex);
    threads.erase(std::find(threads.begin(), threads.end(), pthread_self()));
  }
  if (signal_stack != MAP_FAILED) {
    sigaltstack(&previous_stack, nullptr);
  }
}

}  // namespace camp_sim
