// memory.cc: device memory; every allocation is known, so that wrong frees and copies that leave
// one are refused before the device runtime sees them.
#include <map>
#include <mutex>

#include "cuda_status.hpp"
#include "handle.hpp"
#include "raw_enum.hpp"

#include "operator_runtime/device.h"
#include "operator_runtime/extension.hpp"

namespace {

struct Allocation {
  size_t bytes;
  int device;
};

struct Allocations {
  std::mutex mutex;
  std::map<uintptr_t, Allocation> by_address;
};

// Never destroyed: callers may free while the process ends.
Allocations &allocations() {
  static Allocations &all = *new Allocations;
  return all;
}

uintptr_t address_of(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

enum class Side { device, host };

// Refuses a range that starts in a known allocation and leaves it, or that is claimed to be host
// memory but is not. Memory of other libraries is unknown here and left to the device runtime.
void require_range(const void *pointer, size_t bytes, Side side, const char *name) {
  const uintptr_t address = address_of(pointer);
  if (pointer == nullptr || address + bytes < address || camp::objects::is_token(pointer)) {
    camp::throw_error(CAMP_STATUS_INVALID_ARGUMENT, "%s %p holds no %zu bytes", name, pointer,
                      bytes);
  }
  Allocations &all = allocations();
  const std::lock_guard<std::mutex> lock(all.mutex);
  auto after = all.by_address.upper_bound(address);
  if (after == all.by_address.begin()) return;
  const auto &[base, allocation] = *--after;
  const size_t offset = address - base;
  if (offset >= allocation.bytes) return;
  if (side == Side::host) {
    camp::throw_error(CAMP_STATUS_INVALID_ARGUMENT, "%s %p is device memory, not host memory", name,
                      pointer);
  }
  if (bytes > allocation.bytes - offset) {
    camp::throw_error(CAMP_STATUS_INVALID_ARGUMENT,
                      "%s + %zu bytes leaves its allocation of %zu bytes by %zu", name, bytes,
                      allocation.bytes, bytes - (allocation.bytes - offset));
  }
}

}  // namespace

camp_status_t camp_memory_alloc(int device, size_t bytes, void **pointer) {
  return camp::guarded([&] {
    if (pointer == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "pointer is NULL");
    camp::select_device(device);
    if (bytes == 0) {
      *pointer = nullptr;
      return CAMP_STATUS_SUCCESS;
    }
    void *made = nullptr;
    const cudaError_t code = cudaMalloc(&made, bytes);
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();
      camp::throw_error(CAMP_STATUS_OUT_OF_MEMORY, "device %d has no %zu bytes left", device,
                        bytes);
    }
    camp::check(code, "allocating device memory");
    try {
      Allocations &all = allocations();
      const std::lock_guard<std::mutex> lock(all.mutex);
      all.by_address[address_of(made)] = Allocation{bytes, device};
    } catch (...) {
      (void)cudaFree(made);
      throw;
    }
    *pointer = made;
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_memory_free(int device, void *pointer) {
  return camp::guarded([&] {
    camp::select_device(device);
    if (pointer == nullptr) return CAMP_STATUS_SUCCESS;
    {
      Allocations &all = allocations();
      const std::lock_guard<std::mutex> lock(all.mutex);
      const auto found = all.by_address.find(address_of(pointer));
      if (found == all.by_address.end()) {
        return camp::fail(CAMP_STATUS_INVALID_OBJECT,
                          "%p is no allocation of camp_memory_alloc, or was freed", pointer);
      }
      if (found->second.device != device) {
        return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%p was allocated on device %d, not %d",
                          pointer, found->second.device, device);
      }
      all.by_address.erase(found);
    }
    camp::check(cudaFree(pointer), "freeing device memory");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_memory_copy(void *destination, const void *source, size_t bytes,
                               camp_copy_kind_t kind, camp_stream_t stream) {
  return camp::guarded([&] {
    cudaMemcpyKind direction;
    Side to = Side::device;
    Side from = Side::device;
    switch (camp::raw(kind)) {
      case CAMP_COPY_HOST_TO_DEVICE:
        direction = cudaMemcpyHostToDevice;
        from = Side::host;
        break;
      case CAMP_COPY_DEVICE_TO_HOST:
        direction = cudaMemcpyDeviceToHost;
        to = Side::host;
        break;
      case CAMP_COPY_DEVICE_TO_DEVICE:
        direction = cudaMemcpyDeviceToDevice;
        break;
      default:
        return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "%d is no kind of copy", camp::raw(kind));
    }
    camp::require_stream(stream);
    if (bytes == 0) return CAMP_STATUS_SUCCESS;
    require_range(destination, bytes, to, "destination");
    require_range(source, bytes, from, "source");
    camp::check(
        cudaMemcpyAsync(destination, source, bytes, direction, static_cast<cudaStream_t>(stream)),
        "copying memory");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_memory_set(void *pointer, uint8_t value, size_t bytes, camp_stream_t stream) {
  return camp::guarded([&] {
    camp::require_stream(stream);
    if (bytes == 0) return CAMP_STATUS_SUCCESS;
    require_range(pointer, bytes, Side::device, "pointer");
    camp::check(cudaMemsetAsync(pointer, value, bytes, static_cast<cudaStream_t>(stream)),
                "setting memory");
    return CAMP_STATUS_SUCCESS;
  });
}
