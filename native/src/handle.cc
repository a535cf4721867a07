// handle.cc: handles of the C ABI.
#include "operator_runtime/handle.h"

#include <memory>

#include "cuda_status.hpp"
#include "handle.hpp"

#include "operator_runtime/extension.hpp"

namespace camp {

void require_stream(camp_stream_t stream) {
  if (objects::is_token(stream)) {
    throw_error(CAMP_STATUS_INVALID_OBJECT, "%p is not a stream but an object of Camp", stream);
  }
}

}  // namespace camp

camp_status_t camp_handle_create(camp_handle_t **handle, int device, camp_stream_t stream) {
  return camp::guarded([&] {
    if (handle == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "handle is NULL");
    camp::require_stream(stream);
    camp::select_device(device);
    *handle = static_cast<camp_handle_t *>(
        camp::objects::insert(camp::Handle::kind, std::make_unique<camp::Handle>(device, stream)));
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_handle_destroy(camp_handle_t *handle) {
  return camp::objects::destroy<camp::Handle>(handle);
}

camp_status_t camp_handle_get(const camp_handle_t *handle, int *device, camp_stream_t *stream) {
  const camp::objects::Pin<camp::Handle> pinned(handle);
  if (!pinned) return camp::objects::explain(handle, camp::Handle::kind);
  if (device != nullptr) *device = pinned->device;
  if (stream != nullptr) *stream = pinned->stream;
  return CAMP_STATUS_SUCCESS;
}
