// kernel_facts.hpp: what is known of a kernel before it runs: its launch bounds, its static shared
// memory, and the dynamic shared memory that it opted in to.
#pragma once

#include <cstddef>
#include <typeinfo>

namespace camp_sim {

struct KernelFacts {
  int max_threads;
  size_t static_shared_bytes;
  size_t dynamic_shared_limit;
};

// Of the kernel at an address, as cudaFunc... calls name it.
KernelFacts facts_of(const void *kernel);
// Of the kernel that runs: `inside` is a class local to it.
KernelFacts facts_of(const std::type_info &inside);

// What a kernel may have as dynamic shared memory from now on. An address whose kernel is not known
// raises the limit of every kernel without one of its own.
void opt_in(const void *kernel, size_t bytes);

}  // namespace camp_sim
