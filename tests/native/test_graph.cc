// test_graph.cc: graphs are recorded, replayed and freed, and a stream that failed to record works.
#include <cuda_runtime.h>

#include "check.hpp"
#include "operator_runtime.h"

namespace {

struct Stream {
  Stream() { CHECK_OK(camp_stream_create(0, &value)); }
  ~Stream() { CHECK_OK(camp_stream_destroy(value)); }
  camp_stream_t value = nullptr;
};

}  // namespace

TEST(a_graph_is_recorded_replayed_and_freed) {
  const Stream stream;
  camp_graph_t *graph = nullptr;
  const long replays = fake_cuda::replays;
  CHECK_OK(camp_graph_begin(stream.value));
  CHECK_OK(camp_graph_end(stream.value, &graph));
  CHECK_EQUAL(fake_cuda::graphs, 1);  // only the launchable one is kept
  CHECK_OK(camp_graph_launch(graph, stream.value));
  CHECK_OK(camp_graph_launch(graph, nullptr));
  CHECK_EQUAL(fake_cuda::replays - replays, 2);
  CHECK_OK(camp_graph_destroy(graph));
  CHECK_EQUAL(fake_cuda::graphs, 0);
  CHECK_STATUS(camp_graph_launch(graph, stream.value), INVALID_OBJECT);
  CHECK_STATUS(camp_graph_destroy(graph), INVALID_OBJECT);
}

TEST(recordings_that_cannot_be_are_refused) {
  const Stream stream;
  camp_graph_t *graph = nullptr;
  CHECK_STATUS(camp_graph_begin(nullptr), INVALID_ARGUMENT);
  CHECK_MESSAGE("the default stream");
  CHECK_STATUS(camp_graph_begin(cudaStreamLegacy), INVALID_ARGUMENT);  // the same by its number
  CHECK_STATUS(camp_graph_end(nullptr, &graph), INVALID_ARGUMENT);
  CHECK_STATUS(camp_graph_end(stream.value, &graph), DEVICE_ERROR);
  CHECK_OK(camp_graph_begin(stream.value));
  CHECK_STATUS(camp_graph_begin(stream.value), INVALID_ARGUMENT);
  CHECK_MESSAGE("records a graph already");
  CHECK_STATUS(camp_graph_end(stream.value, nullptr), INVALID_ARGUMENT);
  CHECK_STATUS(camp_graph_end(stream.value, &graph), DEVICE_ERROR);  // it was ended nevertheless
  CHECK(graph == nullptr);
  CHECK_EQUAL(fake_cuda::graphs, 0);
  CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST(after_a_spoiled_recording_the_stream_records_anew) {
  const Stream stream;
  camp_graph_t *graph = nullptr;
  fake_cuda::spoiled = 1;
  CHECK_OK(camp_graph_begin(stream.value));
  CHECK_STATUS(camp_graph_end(stream.value, &graph), DEVICE_ERROR);
  CHECK_MESSAGE("ending a recording");
  CHECK(graph == nullptr);
  CHECK_OK(camp_graph_begin(stream.value));
  CHECK_OK(camp_graph_end(stream.value, &graph));
  CHECK_OK(camp_graph_destroy(graph));
  CHECK_EQUAL(fake_cuda::graphs, 0);
}

TEST(an_object_of_camp_is_no_stream_to_record) {
  camp_event_t *event = nullptr;
  camp_graph_t *graph = nullptr;
  CHECK_OK(camp_event_create(0, &event));
  CHECK_STATUS(camp_graph_begin(event), INVALID_OBJECT);
  CHECK_STATUS(camp_graph_end(event, &graph), INVALID_OBJECT);
  CHECK_OK(camp_event_destroy(event));
}
