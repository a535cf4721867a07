// kernel_facts.cc: facts of kernels, collected while their library is loaded.
//
// Translated kernels register themselves (camp_sim/kernel_facts.h) under the mangled name of a
// class that is local to them; the address of a kernel leads to the same name by the symbol table.
#include "kernel_facts.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>

#include "camp_sim/engine.h"
#include "camp_sim/kernel_facts.h"
#include "elf_symbols.hpp"

namespace camp_sim {
namespace {

struct SharedVariableSize {
  size_t bytes;
  size_t alignment;
};

struct Entry {
  const std::type_info *owner = nullptr;  // another one: the library was loaded anew
  int max_threads = DeviceModel::max_threads_per_block;
  std::map<int, SharedVariableSize> variables;  // in the order of their declarations
  size_t opted_in = 0;

  size_t static_shared_bytes() const {
    size_t end = 0;
    for (const auto &[place, variable] : variables) {
      end =
          (end + variable.alignment - 1) / variable.alignment * variable.alignment + variable.bytes;
    }
    return end;
  }
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<std::string, Entry> kernels;  // by mangled name
  std::unordered_map<const void *, std::string> names;
  size_t opted_in_by_unknown = 0;

  Entry &entry(const std::type_info &inside) {
    Entry &found = kernels[kernel_of(inside)];
    if (found.owner != &inside) {
      const size_t opted_in = found.opted_in;
      found = Entry{};
      found.owner = &inside;
      found.opted_in = opted_in;
    }
    return found;
  }
  // "_Z1kPf" from "Z1kPfE15camp_sim_kernel".
  static std::string kernel_of(const std::type_info &inside) {
    const std::string name = inside.name();
    return "_" + name.substr(0, name.rfind("E15camp_sim_kernel"));
  }
  const std::string &name_of(const void *kernel) {
    const auto found = names.find(kernel);
    return found != names.end() ? found->second
                                : names.emplace(kernel, function_symbol(kernel)).first->second;
  }
  KernelFacts facts(const Entry &entry) const {
    const size_t fixed = entry.static_shared_bytes();
    constexpr size_t both = DeviceModel::dynamic_shared_bytes_default;
    const size_t free_of_charge = fixed < both ? both - fixed : 0;
    const size_t asked = entry.opted_in != 0 ? entry.opted_in : opted_in_by_unknown;
    return {entry.max_threads, fixed, std::max(asked, free_of_charge)};
  }
};

// Never destroyed: libraries register and unload at any time.
Registry &registry() {
  static auto *const instance = new Registry;
  return *instance;
}

}  // namespace

bool register_launch_bounds(const std::type_info &inside, int max_threads) {
  Registry &all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.entry(inside).max_threads = max_threads;
  return true;
}

bool register_static_shared(const std::type_info &inside, int place, size_t bytes,
                            size_t alignment) {
  Registry &all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.entry(inside).variables[place] = {bytes, alignment};
  return true;
}

KernelFacts facts_of(const std::type_info &inside) {
  Registry &all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.facts(all.kernels[Registry::kernel_of(inside)]);
}

KernelFacts facts_of(const void *kernel) {
  Registry &all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.facts(all.kernels[all.name_of(kernel)]);
}

void opt_in(const void *kernel, size_t bytes) {
  Registry &all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const std::string &name = all.name_of(kernel);
  if (name.empty()) {
    all.opted_in_by_unknown = std::max(all.opted_in_by_unknown, bytes);
  } else {
    all.kernels[name].opted_in = bytes;
  }
}

}  // namespace camp_sim
