// cudart_memory.cc: device and pinned memory, copies and sets of the CUDA runtime.
//
// Device memory lies between guard bytes that no kernel may touch, starts at a multiple of 256
// bytes as on a GPU, and holds a pattern until it is written.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "cudart.hpp"
#include "cudart_graph.hpp"
#include "region.hpp"

namespace camp_sim {
namespace {

constexpr size_t alignment = 256;
constexpr size_t guard_bytes = 1024;
constexpr unsigned char fresh_byte = 0xcd;
constexpr unsigned char guard_byte = 0xe7;
constexpr size_t pitch_alignment = 512;

enum class Kind : uint8_t { device, managed, pinned };

struct Block {
  void *storage;
  size_t bytes;
  Kind kind;
};

class Blocks {
 public:
  cudaError_t allocate(void **pointer, size_t bytes, Kind kind) {
    if (pointer == nullptr) return report(cudaErrorInvalidValue);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (bytes > SIZE_MAX / 2) return report(cudaErrorMemoryAllocation);
    const size_t body = (bytes + alignment - 1) / alignment * alignment;
    void *storage = std::aligned_alloc(alignment, body + 2 * guard_bytes);
    if (storage == nullptr) return report(cudaErrorMemoryAllocation);
    unsigned char *begin = static_cast<unsigned char *>(storage) + guard_bytes;
    std::memset(storage, guard_byte, guard_bytes);
    std::memset(begin, fresh_byte, bytes);
    std::memset(begin + bytes, guard_byte, body - bytes + guard_bytes);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      blocks_[reinterpret_cast<uintptr_t>(begin)] = Block{storage, bytes, kind};
    }
    register_allocation(begin, bytes, kind == Kind::pinned ? "pinned host memory" : "allocation");
    *pointer = begin;
    return cudaSuccess;
  }

  // An address that was never given, or was freed before, is an error and changes nothing.
  cudaError_t release(void *pointer, bool pinned) {
    if (pointer == nullptr) return cudaSuccess;
    Block block;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = blocks_.find(reinterpret_cast<uintptr_t>(pointer));
      if (found == blocks_.end() || (found->second.kind == Kind::pinned) != pinned) {
        return report(cudaErrorInvalidValue);
      }
      block = found->second;
      blocks_.erase(found);
    }
    unregister_allocation(pointer);
    const bool intact = guards_hold(pointer, block);
    std::free(block.storage);
    return intact ? cudaSuccess : report(cudaErrorIllegalAddress);
  }

  // The block that holds `address`; false when none does.
  bool find(const void *address, Block *block, uintptr_t *begin) {
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto after = blocks_.upper_bound(wanted);
    if (after == blocks_.begin()) return false;
    --after;
    if (wanted >= after->first + after->second.bytes) return false;
    *block = after->second;
    *begin = after->first;
    return true;
  }

 private:
  static bool guards_hold(const void *pointer, const Block &block) {
    const auto *begin = static_cast<const unsigned char *>(pointer);
    for (size_t i = 1; i <= guard_bytes; ++i) {
      if (begin[-static_cast<ptrdiff_t>(i)] != guard_byte) return false;
    }
    for (size_t i = 0; i < guard_bytes; ++i) {
      if (begin[block.bytes + i] != guard_byte) return false;
    }
    return true;
  }

  std::mutex mutex_;
  std::map<uintptr_t, Block> blocks_;
};

// Never destroyed: memory may be freed by the destructors of other statics.
Blocks &blocks() {
  static Blocks *const instance = new Blocks;
  return *instance;
}

// Memory of this runtime is checked against its end; other memory is taken on trust.
bool stays_inside(const void *pointer, size_t bytes) {
  if (pointer == nullptr) return false;
  Block block;
  uintptr_t begin;
  if (!blocks().find(pointer, &block, &begin)) return true;
  return bytes <= block.bytes &&
         reinterpret_cast<uintptr_t>(pointer) - begin <= block.bytes - bytes;
}

bool is_kind(cudaMemcpyKind kind) {
  const int value = static_cast<int>(kind);
  return value >= cudaMemcpyHostToHost && value <= cudaMemcpyDefault;
}

}  // namespace

void *symbol_range(const volatile void *symbol, size_t size, size_t offset, size_t bytes) {
  if (offset > size || bytes > size - offset) return nullptr;
  return static_cast<char *>(const_cast<void *>(symbol)) + offset;
}

}  // namespace camp_sim

using camp_sim::blocks;
using camp_sim::Kind;
using camp_sim::report;

cudaError_t cudaMalloc(void **pointer, size_t bytes) {
  return blocks().allocate(pointer, bytes, Kind::device);
}

cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaStream_t stream) {
  if (!camp_sim::is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (camp_sim::is_recording(stream)) return report(cudaErrorNotSupported);
  return cudaMalloc(pointer, bytes);
}

cudaError_t cudaMallocManaged(void **pointer, size_t bytes, unsigned int flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) {
    return report(cudaErrorInvalidValue);
  }
  return blocks().allocate(pointer, bytes, Kind::managed);
}

cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width_bytes, size_t height) {
  if (pitch == nullptr || width_bytes > SIZE_MAX / 4) return report(cudaErrorInvalidValue);
  constexpr size_t step = camp_sim::pitch_alignment;
  *pitch = (width_bytes + step - 1) / step * step;
  if (height != 0 && *pitch > SIZE_MAX / 4 / height) return report(cudaErrorMemoryAllocation);
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaFree(void *pointer) {
  return blocks().release(pointer, false);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  if (!camp_sim::is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (camp_sim::is_recording(stream)) return report(cudaErrorNotSupported);
  return cudaFree(pointer);
}

cudaError_t cudaMallocHost(void **pointer, size_t bytes) {
  return blocks().allocate(pointer, bytes, Kind::pinned);
}

cudaError_t cudaHostAlloc(void **pointer, size_t bytes, unsigned int) {
  return cudaMallocHost(pointer, bytes);
}

cudaError_t cudaFreeHost(void *pointer) {
  return blocks().release(pointer, true);
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *pointer) {
  if (attributes == nullptr) return report(cudaErrorInvalidValue);
  camp_sim::Block block;
  uintptr_t begin;
  void *address = const_cast<void *>(pointer);
  *attributes = cudaPointerAttributes{cudaMemoryTypeUnregistered, -1, nullptr, address};
  if (!blocks().find(pointer, &block, &begin)) return cudaSuccess;
  switch (block.kind) {
    case Kind::device:
      *attributes = cudaPointerAttributes{cudaMemoryTypeDevice, 0, address, nullptr};
      break;
    case Kind::managed:
      *attributes = cudaPointerAttributes{cudaMemoryTypeManaged, 0, address, address};
      break;
    case Kind::pinned:
      *attributes = cudaPointerAttributes{cudaMemoryTypeHost, 0, address, address};
      break;
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *destination, size_t destination_pitch, const void *source,
                         size_t source_pitch, size_t width_bytes, size_t height,
                         cudaMemcpyKind kind) {
  if (!camp_sim::is_kind(kind)) return report(cudaErrorInvalidMemcpyDirection);
  if (width_bytes == 0 || height == 0) return cudaSuccess;
  if (width_bytes > destination_pitch || width_bytes > source_pitch) {
    return report(cudaErrorInvalidPitchValue);
  }
  if (!camp_sim::stays_inside(destination, (height - 1) * destination_pitch + width_bytes) ||
      !camp_sim::stays_inside(source, (height - 1) * source_pitch + width_bytes)) {
    return report(cudaErrorInvalidValue);
  }
  for (size_t row = 0; row < height; ++row) {
    char *target = static_cast<char *>(destination) + row * destination_pitch;
    std::memmove(target, static_cast<const char *>(source) + row * source_pitch, width_bytes);
    camp_sim::regions().mark_written(target, width_bytes);
  }
  return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *destination, size_t destination_pitch, const void *source,
                              size_t source_pitch, size_t width_bytes, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  if (!camp_sim::is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  const auto copy = [=] {
    return cudaMemcpy2D(destination, destination_pitch, source, source_pitch, width_bytes, height,
                        kind);
  };
  return camp_sim::record_node(stream, copy) ? cudaSuccess : copy();
}

cudaError_t cudaMemcpy(void *destination, const void *source, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpy2D(destination, bytes, source, bytes, bytes, 1, kind);
}

cudaError_t cudaMemcpyAsync(void *destination, const void *source, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(destination, bytes, source, bytes, bytes, 1, kind, stream);
}

cudaError_t cudaMemset2D(void *pointer, size_t pitch, int value, size_t width_bytes,
                         size_t height) {
  if (width_bytes == 0 || height == 0) return cudaSuccess;
  if (width_bytes > pitch) return report(cudaErrorInvalidPitchValue);
  if (!camp_sim::stays_inside(pointer, (height - 1) * pitch + width_bytes)) {
    return report(cudaErrorInvalidValue);
  }
  for (size_t row = 0; row < height; ++row) {
    char *target = static_cast<char *>(pointer) + row * pitch;
    std::memset(target, value, width_bytes);
    camp_sim::regions().mark_written(target, width_bytes);
  }
  return cudaSuccess;
}

cudaError_t cudaMemset2DAsync(void *pointer, size_t pitch, int value, size_t width_bytes,
                              size_t height, cudaStream_t stream) {
  if (!camp_sim::is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  const auto set = [=] { return cudaMemset2D(pointer, pitch, value, width_bytes, height); };
  return camp_sim::record_node(stream, set) ? cudaSuccess : set();
}

cudaError_t cudaMemset(void *pointer, int value, size_t bytes) {
  return cudaMemset2D(pointer, bytes, value, bytes, 1);
}

cudaError_t cudaMemsetAsync(void *pointer, int value, size_t bytes, cudaStream_t stream) {
  return cudaMemset2DAsync(pointer, bytes, value, bytes, 1, stream);
}
