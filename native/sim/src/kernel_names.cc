// kernel_names.cc: what a kernel is called in reports, such as "softmax_kernel<float, 4>".
//
// The text of a launch does not say it: template arguments may be names, or be deduced. A kernel
// itself knows; the translator makes it tell its name as it is entered (CAMP_SIM_KERNEL_BEGIN).
#include "kernel_names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <unordered_map>

#include "kernel_facts.hpp"
#include "limits.hpp"
#include "state.hpp"

namespace camp_sim {
namespace {

void keep_name(const std::type_info &) noexcept {}

}  // namespace
}  // namespace camp_sim

__thread void (*kernel_entered_variable)(const std::type_info &) noexcept
    __asm__("camp_sim_kernel_entered") CAMP_SIM_API = camp_sim::keep_name;

namespace camp_sim {
namespace {

// Where the parameters start in "k<float>(float*, int)"; the whole length without parameters.
size_t parameters_at(const std::string &text) {
  if (text.empty() || text.back() != ')') {
    return text.size();
  }
  int depth = 0;
  for (size_t i = text.size(); i-- > 0;) {
    depth += text[i] == ')' ? 1 : text[i] == '(' ? -1 : 0;
    if (depth == 0) {
      return i;
    }
  }
  return text.size();
}

}  // namespace

std::string enclosing_function(const char *mangled_local_type) {
  int status = 0;
  char *text = abi::__cxa_demangle(mangled_local_type, nullptr, nullptr, &status);
  if (text == nullptr) {
    return "";
  }
  std::string name(text);
  std::free(text);
  name.erase(std::min(name.rfind("::"), name.size()));
  name.erase(parameters_at(name));
  return name;
}

namespace {

// Names the kernel of a launch; whether the launch is within the kernel's own limits.
bool may_run(Launch &launch, const std::type_info &inside) {
  static std::mutex mutex;
  static auto *const names = new std::unordered_map<std::string, std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (launch.refused.load() != 0) {
    return false;  // told by another host thread
  }
  std::string &name = (*names)[inside.name()];
  if (name.empty()) {
    name = enclosing_function(inside.name());
  }
  if (!name.empty()) {
    launch.kernel.store(name.c_str(), std::memory_order_relaxed);
  }
  const KernelFacts facts = facts_of(inside);
  launch.shared_limit.store(shared_limit(facts), std::memory_order_relaxed);
  const KernelSite site{launch.kernel.load(), launch.site.file, launch.site.line};
  if (check_kernel(site, launch.config, facts)) {
    return true;
  }
  launch.refused.store(error_invalid_value);
  return false;
}

void take_name(const std::type_info &inside) noexcept {
  kernel_entered_variable = keep_name;
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const Inside own_code(*worker);
  if (!may_run(*worker->launch, inside)) {
    worker->launch->abandoned.store(true);
    worker->end_lane(LaneState::killed);
  }
}

}  // namespace

void expect_kernel_name() {
  kernel_entered_variable = take_name;
}

}  // namespace camp_sim
