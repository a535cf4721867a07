// event.cc: events, which time what a stream does.
#include <atomic>
#include <memory>

#include "cuda_status.hpp"
#include "handle.hpp"
#include "object_table.hpp"

#include "operator_runtime/device.h"
#include "operator_runtime/extension.hpp"

namespace {

struct Event : camp::objects::Object {
  static constexpr camp::objects::Kind kind = camp::objects::Kind::event;
  Event() { camp::check(cudaEventCreate(&event), "creating an event"); }
  ~Event() override { (void)cudaEventDestroy(event); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;

  cudaEvent_t event{};
  std::atomic<bool> recorded{false};
};

using PinnedEvent = camp::objects::Pin<Event>;

// The event behind a pin; throws when it is none or was never recorded.
void require_recorded(const PinnedEvent &event, const camp_event_t *token) {
  if (!event)
    throw camp::Error(camp::objects::explain(token, Event::kind), camp_last_error_message());
  if (!event->recorded)
    throw camp::Error(CAMP_STATUS_INVALID_ARGUMENT, "the event was never recorded");
}

}  // namespace

camp_status_t camp_event_create(int device, camp_event_t **event) {
  return camp::guarded([&] {
    if (event == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "event is NULL");
    camp::select_device(device);
    *event =
        static_cast<camp_event_t *>(camp::objects::insert(Event::kind, std::make_unique<Event>()));
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_event_destroy(camp_event_t *event) {
  return camp::objects::destroy<Event>(event);
}

camp_status_t camp_event_record(camp_event_t *event, camp_stream_t stream) {
  return camp::guarded([&] {
    const PinnedEvent pinned(event);
    if (!pinned) return camp::objects::explain(event, Event::kind);
    camp::require_stream(stream);
    camp::check(cudaEventRecord(pinned->event, static_cast<cudaStream_t>(stream)),
                "recording an event");
    pinned->recorded = true;
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_event_synchronize(camp_event_t *event) {
  return camp::guarded([&] {
    const PinnedEvent pinned(event);
    require_recorded(pinned, event);
    camp::check(cudaEventSynchronize(pinned->event), "waiting for an event");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_event_elapsed_ms(camp_event_t *start, camp_event_t *end, float *milliseconds) {
  return camp::guarded([&] {
    if (milliseconds == nullptr) {
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "milliseconds is NULL");
    }
    const PinnedEvent first(start);
    require_recorded(first, start);
    const PinnedEvent last(end);
    require_recorded(last, end);
    float elapsed = 0;
    camp::check(cudaEventSynchronize(last->event), "waiting for an event");
    camp::check(cudaEventElapsedTime(&elapsed, first->event, last->event), "timing");
    *milliseconds = elapsed;
    return CAMP_STATUS_SUCCESS;
  });
}
