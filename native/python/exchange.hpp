// exchange.hpp: DLPack's table of C functions, by which a library shows its arrays without Python.
//
// The layout is that of version 1 of the specification, whose minor versions only append to it.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>

namespace camp::python {

struct ExchangeApi {
  struct Header {
    uint32_t major;
    uint32_t minor;
    Header *previous;
  } header;
  void *allocate;
  void *from_object;
  void *to_object;
  // Shows an array in place; what is pointed to lives as long as the array. 0 is success, else a
  // Python exception is set.
  int (*view)(void *object, nanobind::dlpack::dltensor *result);
  int (*current_stream)(int32_t device_type, int32_t device, void **result);
};

// The table in a capsule, or null where it is none, of another version, or lacks `view`.
inline const ExchangeApi *exchange_api(nanobind::handle capsule) {
  if (!PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api")) return nullptr;
  const auto *api =
      static_cast<const ExchangeApi *>(PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
  const bool usable = api->header.major == 1 && api->view != nullptr;
  return usable ? api : nullptr;
}

}  // namespace camp::python
