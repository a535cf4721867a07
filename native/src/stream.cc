// stream.cc: streams; those made here are known, so that only they can be destroyed, once.
#include <map>
#include <mutex>

#include "cuda_status.hpp"
#include "handle.hpp"

#include "operator_runtime/device.h"
#include "operator_runtime/extension.hpp"

namespace {

struct Streams {
  std::mutex mutex;
  std::map<camp_stream_t, int> device_of;
};

// Never destroyed: callers may clean up while the process ends.
Streams &streams() {
  static Streams &all = *new Streams;
  return all;
}

}  // namespace

camp_status_t camp_stream_create(int device, camp_stream_t *stream) {
  return camp::guarded([&] {
    if (stream == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "stream is NULL");
    camp::select_device(device);
    // A stream that waits for the default stream: a copy left there cannot race with a launch here.
    cudaStream_t made;
    camp::check(cudaStreamCreate(&made), "creating a stream");
    try {
      Streams &all = streams();
      const std::lock_guard<std::mutex> lock(all.mutex);
      all.device_of[made] = device;
    } catch (...) {
      (void)cudaStreamDestroy(made);
      throw;
    }
    *stream = made;
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_stream_destroy(camp_stream_t stream) {
  return camp::guarded([&] {
    if (stream == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "the stream is NULL");
    {
      Streams &all = streams();
      const std::lock_guard<std::mutex> lock(all.mutex);
      if (all.device_of.erase(stream) == 0) {
        return camp::fail(CAMP_STATUS_INVALID_OBJECT,
                          "%p is no stream of camp_stream_create, or was destroyed", stream);
      }
    }
    camp::check(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), "destroying a stream");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_stream_synchronize(camp_stream_t stream) {
  return camp::guarded([&] {
    camp::require_stream(stream);
    camp::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "waiting for a stream");
    return CAMP_STATUS_SUCCESS;
  });
}
