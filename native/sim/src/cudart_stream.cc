// cudart_stream.cc: streams and events of the CUDA runtime. A stream does its work at once, so it
// is never behind; an event is the host time at which it was recorded.
#include <chrono>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cudart.hpp"
#include "cudart_graph.hpp"

namespace camp_sim {
namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  bool timed = true;
  bool recorded = false;
  Clock::time_point time{};
};

// Handles that were given out and not yet destroyed. Their addresses are those of the objects, so a
// handle is never null, and a destroyed one is refused until the address is given out again.
template <typename Handle, typename T>
class Handles {
 public:
  Handle add(T value) {
    auto object = std::make_unique<T>(std::move(value));
    const Handle handle = reinterpret_cast<Handle>(object.get());
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_[handle] = std::move(object);
    return handle;
  }
  bool remove(Handle handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return objects_.erase(handle) == 1;
  }
  bool get(Handle handle, T *value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return false;
    if (value != nullptr) *value = *found->second;
    return true;
  }
  bool set(Handle handle, const T &value) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return false;
    *found->second = value;
    return true;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<Handle, std::unique_ptr<T>> objects_;
};

// Never destroyed: handles may be freed by the destructors of other statics.
Handles<cudaStream_t, unsigned int> &streams() {
  static auto *const instance = new Handles<cudaStream_t, unsigned int>;
  return *instance;
}
Handles<cudaEvent_t, Event> &events() {
  static auto *const instance = new Handles<cudaEvent_t, Event>;
  return *instance;
}

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  return is_default(stream) || streams().get(stream, nullptr);
}

}  // namespace camp_sim

using camp_sim::events;
using camp_sim::is_stream;
using camp_sim::report;
using camp_sim::streams;

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) return report(cudaErrorInvalidValue);
  *stream = streams().add(flags);
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return report(streams().remove(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (camp_sim::invalidate_recording(stream)) return report(cudaErrorStreamCaptureUnsupported);
  return camp_sim::pending_fault();
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  const bool valid = is_stream(stream) && events().get(event, nullptr);
  if (!valid) return report(cudaErrorInvalidResourceHandle);
  camp_sim::follow_event(stream, event);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user_data) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (function == nullptr) return report(cudaErrorInvalidValue);
  const auto call = [=] { function(user_data); };
  if (!camp_sim::record_node(stream, call)) call();
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  if (event == nullptr) return report(cudaErrorInvalidValue);
  camp_sim::Event value;
  value.timed = (flags & cudaEventDisableTiming) == 0;
  *event = events().add(value);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return report(events().remove(event) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  camp_sim::Event value;
  if (!is_stream(stream) || !events().get(event, &value)) {
    return report(cudaErrorInvalidResourceHandle);
  }
  if (camp_sim::record_event(event, stream)) return cudaSuccess;
  value.recorded = true;
  value.time = camp_sim::Clock::now();
  events().set(event, value);
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (!events().get(event, nullptr)) return report(cudaErrorInvalidResourceHandle);
  return camp_sim::pending_fault();
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  camp_sim::Event first, last;
  if (milliseconds == nullptr) return report(cudaErrorInvalidValue);
  if (!events().get(start, &first) || !events().get(end, &last) || !first.timed || !last.timed ||
      !first.recorded || !last.recorded) {
    return report(cudaErrorInvalidResourceHandle);
  }
  *milliseconds = std::chrono::duration<float, std::milli>(last.time - first.time).count();
  return cudaSuccess;
}
