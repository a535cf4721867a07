// streams.cu: streams, events, copies, launches by function and graphs.
#include "features.cuh"

__global__ void fill_kernel(int *cells, int count, int start) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) cells[i] = start + i;
}
__global__ void add_kernel(int *cells, const int *others, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) cells[i] += others[i];
}
__global__ void scale_kernel(float *cells, float factor, double offset) {
  extern __shared__ float staged[];
  staged[threadIdx.x] = cells[threadIdx.x] * factor;
  __syncthreads();
  cells[threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x] + static_cast<float>(offset);
}

constexpr int count = 50;

// Each launch reads what the one before wrote.
static void several_launches() {
  Feature feature("several_launches");
  Device<int> a(count), b(count);
  fill_kernel<<<2, 32>>>(a.data(), count, 1);
  fill_kernel<<<2, 32>>>(b.data(), count, 100);
  for (int i = 0; i < 3; ++i)
    add_kernel<<<2, 32>>>(a.data(), b.data(), count);
  add_kernel<<<2, 32>>>(b.data(), a.data(), count);
  feature.show(a).show(b);
}

static void add_one(void *data) {
  ++*static_cast<int *>(data);
}
static void streams() {
  Feature feature("streams_events_and_host_functions");
  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t ready = nullptr, done = nullptr;
  SUCCEED(cudaStreamCreate(&first));
  SUCCEED(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  SUCCEED(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
  SUCCEED(cudaEventCreate(&done));
  Device<int> a(count), b(count);
  int calls = 5;
  fill_kernel<<<2, 32, 0, first>>>(a.data(), count, 7);
  SUCCEED(cudaLaunchHostFunc(first, add_one, &calls));
  SUCCEED(cudaEventRecord(ready, first));
  SUCCEED(cudaStreamWaitEvent(second, ready, 0));
  SUCCEED(cudaMemsetAsync(b.data(), 0, count * sizeof(int), second));
  add_kernel<<<2, 32, 0, second>>>(b.data(), a.data(), count);
  SUCCEED(
      cudaMemcpyAsync(a.data(), b.data() + 10, 20 * sizeof(int), cudaMemcpyDeviceToDevice, second));
  SUCCEED(cudaEventRecord(done, second));
  SUCCEED(cudaEventSynchronize(done));
  SUCCEED(cudaStreamSynchronize(first));
  SUCCEED(cudaEventQuery(done));
  SUCCEED(cudaStreamQuery(second));
  feature.value(calls).show(a).show(b);
  SUCCEED(cudaEventDestroy(ready));
  SUCCEED(cudaEventDestroy(done));
  SUCCEED(cudaStreamDestroy(first));
  SUCCEED(cudaStreamDestroy(second));
}
static void pooled_memory() {
  Feature feature("stream_ordered_allocation");
  int *cells = nullptr, back[8] = {};
  SUCCEED(cudaMallocAsync(&cells, sizeof back, nullptr));
  fill_kernel<<<1, 8>>>(cells, 8, -3);
  SUCCEED(cudaMemcpyAsync(back, cells, sizeof back, cudaMemcpyDeviceToHost, nullptr));
  SUCCEED(cudaFreeAsync(cells, nullptr));
  SUCCEED(cudaStreamSynchronize(nullptr));
  feature.show(back, 8);
}
static void copies() {
  Feature feature("copies_and_sets_of_rows");
  unsigned char host[64], back[64] = {};
  for (int i = 0; i < 64; ++i)
    host[i] = static_cast<unsigned char>(i);
  Device<unsigned char> device(64);
  SUCCEED(cudaMemcpy(device.data(), host, 64, cudaMemcpyDefault));
  SUCCEED(cudaMemset(device.data() + 8, 0xab, 8));
  SUCCEED(cudaMemset2D(device.data() + 20, 16, 0x11, 2, 2));
  SUCCEED(cudaMemcpy2D(back, 6, device.data(), 16, 6, 4, cudaMemcpyDeviceToHost));
  feature.show(back, 24).show(device);
}

// ---- launches without <<<>>> ----
static void launch_functions() {
  const std::vector<float> given = {1, 2, 3, 4, 5, 6, 7, 8};
  float factor = 2.0f;
  double offset = 0.25;
  {
    Feature feature("cudaLaunchKernel");
    Device<float> cells(given);
    float *pointer = cells.data();
    void *arguments[] = {&pointer, &factor, &offset};
    SUCCEED(
        cudaLaunchKernel(scale_kernel, dim3(1), dim3(8), arguments, 8 * sizeof(float), nullptr));
    feature.show(cells);
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(8);
  config.dynamicSmemBytes = 8 * sizeof(float);
  {
    Feature feature("cudaLaunchKernelEx");
    Device<float> cells(given);
    SUCCEED(cudaLaunchKernelEx(&config, scale_kernel, cells.data(), factor, offset));
    SUCCEED(cudaLaunchKernelEx(&config, scale_kernel, cells.data(), 3, 1));  // converted
    feature.show(cells);
  }
  {
    Feature feature("arguments_convert_to_the_kernels_types");
    Device<float> cells(given);
    scale_kernel<<<1, 8, 8 * sizeof(float)>>>(cells.data(), 3, 1);
    feature.show(cells);
  }
}

// ---- graphs: what streams were asked while they recorded, done at each launch ----
static void graph() {
  Feature feature("captured_graph");
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  SUCCEED(cudaStreamCreate(&stream));
  SUCCEED(cudaStreamCreate(&other));
  SUCCEED(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  SUCCEED(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  Device<int> a(count), b(count), sum(count);
  SUCCEED(cudaDeviceSynchronize());
  SUCCEED(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  SUCCEED(cudaStreamIsCapturing(stream, &status));
  fill_kernel<<<2, 32, 0, stream>>>(a.data(), count, 1);
  SUCCEED(cudaEventRecord(fork, stream));
  SUCCEED(cudaStreamWaitEvent(other, fork, 0));
  SUCCEED(cudaMemsetAsync(b.data(), 1, count * sizeof(int), other));
  SUCCEED(cudaEventRecord(join, other));
  add_kernel<<<2, 32, 0, stream>>>(sum.data(), a.data(), count);
  SUCCEED(cudaStreamWaitEvent(stream, join, 0));
  add_kernel<<<2, 32, 0, stream>>>(sum.data(), b.data(), count);
  SUCCEED(cudaMemcpyAsync(a.data() + 40, sum.data(), 5 * sizeof(int), cudaMemcpyDeviceToDevice,
                          stream));
  cudaGraph_t captured = nullptr;
  SUCCEED(cudaStreamEndCapture(stream, &captured));
  feature.value(static_cast<int>(status)).show(sum);  // nothing has run yet
  size_t nodes = 0;
  SUCCEED(cudaGraphGetNodes(captured, nullptr, &nodes));
  feature.value(nodes);
  cudaGraphExec_t executable = nullptr;
  SUCCEED(cudaGraphInstantiate(&executable, captured, 0));
  SUCCEED(cudaGraphDestroy(captured));
  for (int i = 0; i < 3; ++i)
    SUCCEED(cudaGraphLaunch(executable, stream));
  SUCCEED(cudaStreamSynchronize(stream));
  feature.show(a).show(b).show(sum);
  SUCCEED(cudaGraphExecDestroy(executable));
  SUCCEED(cudaStreamIsCapturing(stream, &status));
  feature.value(static_cast<int>(status));
  SUCCEED(cudaEventDestroy(fork));
  SUCCEED(cudaEventDestroy(join));
  SUCCEED(cudaStreamDestroy(stream));
  SUCCEED(cudaStreamDestroy(other));
}

int main() {
  several_launches();
  streams();
  pooled_memory();
  copies();
  launch_functions();
  graph();
  return finish();
}
