// launch_loop.cc: what a loop of cudaLaunchKernel in C pays for the very kernels of a call: they
// are recorded once, with their grids and arguments, and launched again and again. Loaded by
// tests/measure_call_overhead.py; takes the driver from the process.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

#include <chrono>
#include <vector>

namespace {

void *driver_function(const char *name) {
  static void *const driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

struct Driver {
  decltype(&cuStreamBeginCapture) begin_capture;
  decltype(&cuStreamEndCapture) end_capture;
  decltype(&cuGraphGetNodes) get_nodes;
  decltype(&cuGraphNodeGetType) get_type;
  decltype(&cuGraphKernelNodeGetParams) get_params;
  decltype(&cuLaunchKernel) launch;

  bool load() {
    return find(begin_capture, "cuStreamBeginCapture_v2") &&
           find(end_capture, "cuStreamEndCapture") && find(get_nodes, "cuGraphGetNodes") &&
           find(get_type, "cuGraphNodeGetType") &&
           find(get_params, "cuGraphKernelNodeGetParams_v2") && find(launch, "cuLaunchKernel");
  }
  template <typename Function>
  static bool find(Function &function, const char *name) {
    function = reinterpret_cast<Function>(driver_function(name));
    return function != nullptr;
  }
};

Driver driver;
CUgraph graph;  // owns the arguments that `kernels` points to
std::vector<CUDA_KERNEL_NODE_PARAMS> kernels;

cudaError_t by_runtime(const CUDA_KERNEL_NODE_PARAMS &k, cudaStream_t stream) {
  return cudaLaunchKernel(
      reinterpret_cast<const void *>(k.kern), dim3(k.gridDimX, k.gridDimY, k.gridDimZ),
      dim3(k.blockDimX, k.blockDimY, k.blockDimZ), k.kernelParams, k.sharedMemBytes, stream);
}

CUresult by_driver(const CUDA_KERNEL_NODE_PARAMS &k, CUstream stream) {
  // Which of the two names the kernel depends on how it was loaded; a launch takes either.
  const CUfunction function = k.func != nullptr ? k.func : reinterpret_cast<CUfunction>(k.kern);
  return driver.launch(function, k.gridDimX, k.gridDimY, k.gridDimZ, k.blockDimX, k.blockDimY,
                       k.blockDimZ, k.sharedMemBytes, stream, k.kernelParams, nullptr);
}

}  // namespace

extern "C" {

// From here on `stream` records; 0 is success, here and below.
int launch_loop_begin(void *stream) {
  if (!driver.load()) return -1;
  return driver.begin_capture(static_cast<CUstream>(stream), CU_STREAM_CAPTURE_MODE_RELAXED);
}

// Ends it. The number of kernels recorded, or -1 when it holds anything else or nothing.
int launch_loop_end(void *stream) {
  kernels.clear();
  size_t count = 0;
  if (driver.end_capture(static_cast<CUstream>(stream), &graph) != CUDA_SUCCESS ||
      driver.get_nodes(graph, nullptr, &count) != CUDA_SUCCESS) {
    return -1;
  }
  std::vector<CUgraphNode> nodes(count);
  if (driver.get_nodes(graph, nodes.data(), &count) != CUDA_SUCCESS) return -1;
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type;
    CUDA_KERNEL_NODE_PARAMS params;
    if (driver.get_type(node, &type) != CUDA_SUCCESS || type != CU_GRAPH_NODE_TYPE_KERNEL ||
        driver.get_params(node, &params) != CUDA_SUCCESS) {
      return -1;
    }
    kernels.push_back(params);
  }
  return kernels.empty() ? -1 : static_cast<int>(kernels.size());
}

// Whether launch_loop_ns launches by cudaLaunchKernel, which takes a kernel of another library's
// CUDA runtime if the driver names it as one; else it launches by the driver's function under that.
int launch_loop_is_of_the_runtime() {
  for (const CUDA_KERNEL_NODE_PARAMS &k : kernels)
    if (k.kern == nullptr || by_runtime(k, nullptr) != cudaSuccess) return 0;
  return 1;
}

// Nanoseconds of one round of those kernels on `stream`, averaged over `count`; negative: refused.
double launch_loop_ns(void *stream, int count, int runtime) {
  bool refused = false;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    for (const CUDA_KERNEL_NODE_PARAMS &k : kernels) {
      refused |= runtime != 0 ? by_runtime(k, static_cast<cudaStream_t>(stream)) != cudaSuccess
                              : by_driver(k, static_cast<CUstream>(stream)) != CUDA_SUCCESS;
    }
  }
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return refused ? -1.0 : spent.count() / count;
}

}  // extern "C"
