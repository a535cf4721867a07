// hooks_ubsan.cc: what a compiler calls with -fsanitize=alignment,bounds. They see what an address
// alone cannot tell: that a pointer is not aligned for its type, and that an index leaves its
// array.
#include <cstdint>
#include <string>

#include "state.hpp"
#include "ubsan.hpp"

#define HOOK extern "C" CAMP_SIM_API

namespace {

using camp_sim::SourceLocation;
using camp_sim::TypeDescriptor;

struct TypeMismatchData {
  SourceLocation location;
  const TypeDescriptor *type;
  uint8_t log_alignment;
  uint8_t check_kind;
};
struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescriptor *array_type;
  const TypeDescriptor *index_type;
};

constexpr uint8_t check_store = 1;  // check_kind of a store; 0 is a load

void on_type_mismatch(const TypeMismatchData *data, uintptr_t address, const void *pc) {
  using namespace camp_sim;
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const uintptr_t alignment = uintptr_t{1} << data->log_alignment;
  if (address == 0 || (address & (alignment - 1)) == 0) {
    return;  // a null pointer is told at the access
  }
  const Inside inside(*worker);
  Fault fault = worker->fault_here("misaligned", "MISALIGNED", site_of(data->location, pc));
  fault.access = data->check_kind == check_store ? "write" : "read";
  std::string name = "an address";
  const Region *region = nullptr;
  for (const Region *candidate : regions().visible()) {
    if (candidate->contains(address, 1)) {
      region = candidate;
      break;
    }
  }
  const SharedRange *shared =
      worker->shared.contains(address) ? worker->shared.nearest(address) : nullptr;
  if (shared != nullptr) {
    const auto begin = reinterpret_cast<uintptr_t>(worker->shared.pointer(*shared));
    fault.tensor = shared->name;
    fault.space = "shared";
    fault.has_index = true;
    fault.index = static_cast<int64_t>((address - begin) / shared->element_bytes);
    fault.elements = static_cast<int64_t>(shared->bytes / shared->element_bytes);
  } else if (region != nullptr) {
    fault.tensor = region->name;
    fault.space = "global";
    fault.has_index = true;
    fault.index = static_cast<int64_t>((address - region->begin) / region->element_bytes);
    fault.elements = region->elements();
  }
  if (fault.has_index) {
    name = fault.tensor + '[' + std::to_string(fault.index) + "], an address";
  }
  fault.message = "a thread accesses " + std::string(data->type->name) + " at " + name + " " +
                  std::to_string(address & (alignment - 1)) + " bytes past a multiple of " +
                  std::to_string(alignment);
  fault.advice =
      "A vector access needs an aligned address: handle the elements before the first aligned one "
      "one by one, or take the scalar path.";
  fault_log().add(std::move(fault));
  worker->end_lane(LaneState::killed);
}

void on_out_of_bounds(const OutOfBoundsData *data, uint64_t index, const void *pc) {
  using namespace camp_sim;
  Worker *worker = worker_in_kernel(this_worker());
  if (worker == nullptr) {
    return;
  }
  const Inside inside(*worker);
  Fault fault = worker->fault_here("out_of_bounds", "OOB", site_of(data->location, pc));
  const int64_t value = widened(*data->index_type, index);
  fault.has_index = true;
  fault.index = value;
  fault.message = "index " + std::to_string(value) + " lies outside an array of type " +
                  std::string(data->array_type->name);
  fault.advice = "Compare the index with the array's extent before the access.";
  fault_log().add(std::move(fault));
  worker->end_lane(LaneState::killed);
}

}  // namespace

HOOK void __ubsan_handle_type_mismatch_v1(void *data, uintptr_t address) {
  on_type_mismatch(static_cast<const TypeMismatchData *>(data), address,
                   __builtin_return_address(0));
}
HOOK void __ubsan_handle_type_mismatch_v1_abort(void *data, uintptr_t address) {
  on_type_mismatch(static_cast<const TypeMismatchData *>(data), address,
                   __builtin_return_address(0));
}
HOOK void __ubsan_handle_out_of_bounds(void *data, uintptr_t index) {
  on_out_of_bounds(static_cast<const OutOfBoundsData *>(data), index, __builtin_return_address(0));
}
HOOK void __ubsan_handle_out_of_bounds_abort(void *data, uintptr_t index) {
  on_out_of_bounds(static_cast<const OutOfBoundsData *>(data), index, __builtin_return_address(0));
}
