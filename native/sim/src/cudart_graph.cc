// cudart_graph.cc: graphs made by stream capture. A graph is the list of what its streams were
// asked, in that order, which satisfies every dependence between them.
#include "cudart_graph.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cudart.hpp"

struct CUgraph_st {
  std::vector<std::function<void()>> nodes;
  bool invalidated = false;  // something that no graph can hold was asked of its streams
};
struct CUgraphExec_st {
  std::vector<std::function<void()>> nodes;
};

namespace camp_sim {
namespace {

struct Captures {
  std::mutex mutex;
  std::map<cudaStream_t, std::shared_ptr<CUgraph_st>> streams;
  std::map<cudaStream_t, CUgraph_st *> origins;  // where each capture began
  std::map<cudaEvent_t, std::weak_ptr<CUgraph_st>> events;

  std::shared_ptr<CUgraph_st> graph_of(cudaStream_t stream) {
    const auto found = streams.find(stream);
    return found != streams.end() ? found->second : nullptr;
  }
};

// Never destroyed: streams may be used by the destructors of other statics.
Captures &captures() {
  static auto *const instance = new Captures;
  return *instance;
}

}  // namespace

bool record_node(cudaStream_t stream, const std::function<void()> &work) {
  Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto graph = all.graph_of(stream);
  if (graph != nullptr) graph->nodes.push_back(work);
  return graph != nullptr;
}

bool is_recording(cudaStream_t stream) {
  Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.graph_of(stream) != nullptr;
}

bool invalidate_recording(cudaStream_t stream) {
  Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto graph = all.graph_of(stream);
  if (graph != nullptr) graph->invalidated = true;
  return graph != nullptr;
}

bool record_event(cudaEvent_t event, cudaStream_t stream) {
  Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto graph = all.graph_of(stream);
  all.events.erase(event);
  if (graph != nullptr) all.events[event] = graph;
  return graph != nullptr;
}

void follow_event(cudaStream_t stream, cudaEvent_t event) {
  Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = all.events.find(event);
  if (found == all.events.end()) return;
  if (const auto graph = found->second.lock()) all.streams[stream] = graph;
}

}  // namespace camp_sim

using camp_sim::captures;
using camp_sim::is_stream;
using camp_sim::report;

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  if (stream == nullptr || stream == cudaStreamLegacy) {
    return report(cudaErrorStreamCaptureUnsupported);
  }
  camp_sim::Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.graph_of(stream) != nullptr) return report(cudaErrorIllegalState);
  const auto graph = std::make_shared<CUgraph_st>();
  all.streams[stream] = graph;
  all.origins[stream] = graph.get();
  return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  if (graph == nullptr) return report(cudaErrorInvalidValue);
  *graph = nullptr;
  camp_sim::Captures &all = captures();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto recorded = all.graph_of(stream);
  const auto origin = all.origins.find(stream);
  if (recorded == nullptr || origin == all.origins.end() || origin->second != recorded.get()) {
    return report(cudaErrorIllegalState);
  }
  all.origins.erase(origin);
  for (auto it = all.streams.begin(); it != all.streams.end();) {
    it = it->second == recorded ? all.streams.erase(it) : std::next(it);
  }
  if (recorded->invalidated) return report(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st(std::move(*recorded));
  return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  if (status == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  *status =
      camp_sim::is_recording(stream) ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                 unsigned long long) {
  if (executable == nullptr || graph == nullptr) return report(cudaErrorInvalidValue);
  *executable = new CUgraphExec_st{graph->nodes};
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  if (!is_stream(stream)) return report(cudaErrorInvalidResourceHandle);
  for (const auto &node : executable->nodes) {
    if (!camp_sim::record_node(stream, node)) node();
  }
  return cudaSuccess;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  return report(is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// Only how many there are: `nodes` must be null.
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  if (graph == nullptr || count == nullptr) return report(cudaErrorInvalidValue);
  if (nodes != nullptr) return report(cudaErrorNotSupported);
  *count = graph->nodes.size();
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (graph == nullptr) return report(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  if (executable == nullptr) return report(cudaErrorInvalidValue);
  delete executable;
  return cudaSuccess;
}
