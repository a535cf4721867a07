// graph.cc: graphs, recorded from a stream and replayed on one.
#include <memory>
#include <mutex>

#include "backend.hpp"
#include "cuda_status.hpp"
#include "handle.hpp"
#include "object_table.hpp"

#include "operator_runtime/extension.hpp"
#include "operator_runtime/graph.h"

namespace {

struct Graph : camp::objects::Object {
  static constexpr camp::objects::Kind kind = camp::objects::Kind::graph;
  explicit Graph(cudaGraph_t recorded) {
    camp::check(cudaGraphInstantiateWithFlags(&executable, recorded, 0), "making a graph");
  }
  ~Graph() override { (void)cudaGraphExecDestroy(executable); }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  cudaGraphExec_t executable{};
  std::mutex launching;  // the device runtime lets one thread at a time use a graph
};

bool is_default(camp_stream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy;
}

// What a stream recorded, which is of no more use once it is instantiated.
class Recording {
 public:
  explicit Recording(cudaStream_t stream) {
    camp::check(cudaStreamEndCapture(stream, &graph_), "ending a recording");
  }
  ~Recording() { (void)cudaGraphDestroy(graph_); }
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;

  cudaGraph_t get() const { return graph_; }

 private:
  cudaGraph_t graph_ = nullptr;
};

}  // namespace

camp_status_t camp_graph_begin(camp_stream_t stream) {
  return camp::guarded([&] {
    if (is_default(stream)) {
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "the default stream cannot record a graph");
    }
    camp::require_stream(stream);
    const auto recorder = static_cast<cudaStream_t>(stream);
    cudaStreamCaptureStatus state = cudaStreamCaptureStatusNone;
    camp::check(cudaStreamIsCapturing(recorder, &state), "asking a stream whether it records");
    if (state != cudaStreamCaptureStatusNone) {
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "the stream records a graph already");
    }
    // Relaxed: allocations that other libraries make meanwhile do not spoil the recording.
    camp::check(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeRelaxed),
                "beginning a recording");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_graph_end(camp_stream_t stream, camp_graph_t **graph) {
  return camp::guarded([&] {
    if (is_default(stream)) {
      return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "the default stream records no graph");
    }
    camp::require_stream(stream);
    // The recording is ended first: the stream must work again, whatever else is wrong.
    const Recording recording(static_cast<cudaStream_t>(stream));
    if (graph == nullptr) return camp::fail(CAMP_STATUS_INVALID_ARGUMENT, "graph is NULL");
    *graph = static_cast<camp_graph_t *>(
        camp::objects::insert(Graph::kind, std::make_unique<Graph>(recording.get())));
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_graph_launch(camp_graph_t *graph, camp_stream_t stream) {
  return camp::guarded([&] {
    const camp::objects::Pin<Graph> pinned(graph);
    if (!pinned) return camp::objects::explain(graph, Graph::kind);
    camp::require_stream(stream);
    const std::lock_guard<std::mutex> lock(pinned->launching);
    camp::backend::begin("graph", nullptr, 0);
    const cudaError_t code = cudaGraphLaunch(pinned->executable, static_cast<cudaStream_t>(stream));
    const camp_status_t finished = camp::backend::finish();
    if (finished != CAMP_STATUS_SUCCESS) return finished;  // knows more than the launch itself
    camp::check(code, "launching a graph");
    return CAMP_STATUS_SUCCESS;
  });
}

camp_status_t camp_graph_destroy(camp_graph_t *graph) {
  return camp::objects::destroy<Graph>(graph);
}
