// tensor.cc: tensor descriptors of the C ABI.
#include "operator_runtime/tensor.h"

#include <memory>

#include "layout.hpp"
#include "raw_enum.hpp"

camp_status_t camp_tensor_descriptor_create(camp_tensor_descriptor_t **descriptor,
                                            camp_dtype_t dtype, size_t rank, const int64_t *shape,
                                            const int64_t *strides) {
  return camp::guarded([&] {
    if (descriptor == nullptr) {
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "descriptor is NULL");
    }
    auto made = std::make_unique<camp::TensorDescriptor>(
        camp::make_layout(camp::raw(dtype), rank, shape, strides));
    *descriptor = static_cast<camp_tensor_descriptor_t *>(
        camp::objects::insert(camp::TensorDescriptor::kind, std::move(made)));
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_tensor_descriptor_destroy(camp_tensor_descriptor_t *descriptor) {
  return camp::objects::destroy<camp::TensorDescriptor>(descriptor);
}
