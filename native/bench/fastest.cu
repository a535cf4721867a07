// fastest.cu: which geometry of a ceiling is the fastest for a size on this device.
#include <algorithm>
#include <memory>
#include <vector>

#include <cuda_runtime.h>

#include "camp_bench.h"

namespace {

constexpr int replays = 9;
constexpr int most_calls = 200;  // of one replay

struct Event {
  cudaEvent_t event = nullptr;
  Event() { (void)cudaEventCreate(&event); }
  ~Event() { (void)cudaEventDestroy(event); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
};

// One pass over the sets as a graph: launches from the host would be slower than small kernels.
struct Graph {
  cudaGraphExec_t executable = nullptr;
  std::vector<float> milliseconds;
  Graph() = default;
  ~Graph() {
    if (executable != nullptr) (void)cudaGraphExecDestroy(executable);
  }
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  float median() {
    std::sort(milliseconds.begin(), milliseconds.end());
    return milliseconds[milliseconds.size() / 2];
  }
};

struct Sets {
  void *const *addresses;  // set by set: first what is read, then what is written
  int count, read_count, write_count;
  size_t bytes_each;
};

int capture(const Sets &sets, int geometry, cudaStream_t stream, Graph &graph) {
  int status = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  if (status != cudaSuccess) return status;
  for (int i = 0; i < std::min(sets.count, most_calls) && status == cudaSuccess; ++i) {
    void *const *first = sets.addresses + size_t(i) * size_t(sets.read_count + sets.write_count);
    status = camp_bench_stream(first, sets.read_count, first + sets.read_count, sets.write_count,
                               sets.bytes_each, geometry, stream);
  }
  cudaGraph_t captured = nullptr;
  const int ended = cudaStreamEndCapture(stream, &captured);
  if (status == cudaSuccess) status = ended;
  if (status == cudaSuccess) status = cudaGraphInstantiate(&graph.executable, captured, 0);
  if (captured != nullptr) (void)cudaGraphDestroy(captured);
  return status;
}

int replay(Graph &graph, const Event &start, const Event &end, cudaStream_t stream) {
  (void)cudaEventRecord(start.event, stream);
  (void)cudaGraphLaunch(graph.executable, stream);
  (void)cudaEventRecord(end.event, stream);
  const int status = cudaEventSynchronize(end.event);
  float milliseconds = 0.0f;
  if (status != cudaSuccess) return status;
  const int known = cudaEventElapsedTime(&milliseconds, start.event, end.event);
  graph.milliseconds.push_back(milliseconds);
  return known;
}

}  // namespace

int camp_bench_fastest(void *const *addresses, int set_count, int read_count, int write_count,
                       size_t bytes_each, void *stream, int *geometry) {
  const Sets sets = {addresses, set_count, read_count, write_count, bytes_each};
  const auto queue = static_cast<cudaStream_t>(stream);
  std::vector<std::unique_ptr<Graph>> graphs;
  for (int g = 0; g < camp_bench_geometries(read_count, write_count); ++g) {
    graphs.push_back(std::make_unique<Graph>());
    const int status = capture(sets, g, queue, *graphs.back());
    if (status != cudaSuccess) return status;
  }
  const Event start, end;
  for (int round = 0; round < replays; ++round) {
    for (auto &graph : graphs) {
      const int status = replay(*graph, start, end, queue);
      if (status != cudaSuccess) return status;
    }
  }
  // The first replay of each uploads the graph.
  for (auto &graph : graphs)
    graph->milliseconds.erase(graph->milliseconds.begin());
  const auto best = std::min_element(graphs.begin(), graphs.end(),
                                     [](auto &a, auto &b) { return a->median() < b->median(); });
  *geometry = static_cast<int>(best - graphs.begin());
  return cudaSuccess;
}
