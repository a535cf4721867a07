// memory_faults.cu: accesses that must not happen, each beside its corrected twin.
//
// `program NAME bad|good` runs one; the line that breaks the rule ends in `// fault: NAME`.
#include "faults.cuh"

__global__ void past_end(float *x, int n, bool good) {
  const int i = threadIdx.x;
  if (!good || i < n) x[i] = 1.0f;  // fault: past_end
}

__global__ void before_begin(float *x, int n, bool good) {
  const int i = static_cast<int>(threadIdx.x) - (good ? 0 : 1);
  if (i < n) x[i] = 1.0f;  // fault: before_begin
}

__global__ void vector_tail(float *x, int n, bool good) {
  const int i = 4 * threadIdx.x;
  if (good ? i + 3 < n : i < n) {
    reinterpret_cast<float4 *>(x)[threadIdx.x] = make_float4(1, 2, 3, 4);  // fault: vector_tail
  }
}

__global__ void null_pointer(float *x, float *nothing, bool good) {
  float *target = good ? x : nothing;
  target[threadIdx.x] = 1.0f;  // fault: null_pointer
}

__global__ void misaligned(float *x, bool good) {
  float *from = good ? x : x + 1;
  *reinterpret_cast<float4 *>(from) = make_float4(1, 2, 3, 4);  // fault: misaligned
}

__global__ void shared_past_end(float *x, bool good) {
  __shared__ float tile[64];
  __shared__ float after[64];
  const int i = threadIdx.x;
  after[i] = 0.0f;
  float *flat = tile;
  flat[good ? i : i + 1] = 1.0f;  // fault: shared_past_end
  __syncthreads();
  x[i] = flat[0] + after[i];
}

__global__ void dynamic_past_end(float *x, bool good) {
  extern __shared__ float memory[];
  memory[threadIdx.x + (good ? 0 : 1)] = 1.0f;  // fault: dynamic_past_end
  __syncthreads();
  if (good) x[threadIdx.x] = memory[threadIdx.x];
}

__global__ void array_index(float *x, int n, bool good) {
  float local[4] = {1, 2, 3, 4};
  const int i = good ? n % 4 : n;
  x[threadIdx.x] = local[i];  // fault: array_index
}

__global__ void shared_unwritten(float *x, int n, bool good) {
  __shared__ float tile[64];
  const int i = threadIdx.x;
  if (good || i < n) tile[i] = i < n ? 1.0f : 0.0f;
  __syncthreads();
  x[i] = tile[63 - i];  // fault: shared_unwritten
}

__global__ void global_unwritten(float *x, float *fresh, bool good) {
  const int i = threadIdx.x;
  if (good) fresh[i] = 2.0f;
  x[i] = fresh[i];  // fault: global_unwritten
}

__global__ void half_written(unsigned short *x, unsigned *fresh, bool good) {
  auto *halves = reinterpret_cast<unsigned short *>(fresh);
  halves[2 * threadIdx.x] = 1;
  if (good) halves[2 * threadIdx.x + 1] = 1;
  x[threadIdx.x] = static_cast<unsigned short>(fresh[threadIdx.x]);  // fault: half_written
}

__device__ int deeper(int n, volatile int *sink) {
  volatile int ballast[256];
  ballast[n & 255] = n;
  *sink = ballast[n & 255];
  return n == 0 ? 0 : deeper(n - 1, sink) + ballast[n & 255];
}

__global__ void stack_overflow(int *x, bool good) {
  *x = deeper(good ? 10 : 100000, x);
}

int main(int argc, char **argv) {
  const Selection run(argc, argv);
  Buffer<float> x(64);
  Buffer<float> five(5);
  float *fresh = nullptr;
  cudaMalloc(reinterpret_cast<void **>(&fresh), 64 * sizeof(float));
  const bool good = run.good;
  if (run.is("past_end")) past_end<<<1, 32>>>(five.device, 5, good);
  if (run.is("before_begin")) before_begin<<<1, 5>>>(five.device, 5, good);
  if (run.is("vector_tail")) vector_tail<<<1, 32>>>(five.device, 5, good);
  if (run.is("null_pointer"))
    null_pointer<<<1, 32>>>(x.device, static_cast<float *>(nullptr), good);
  if (run.is("misaligned")) misaligned<<<1, 1>>>(x.device, good);
  if (run.is("shared_past_end")) shared_past_end<<<1, 64>>>(x.device, good);
  if (run.is("dynamic_past_end")) dynamic_past_end<<<1, 64, 64 * sizeof(float)>>>(x.device, good);
  if (run.is("array_index")) array_index<<<1, 1>>>(x.device, 6, good);
  if (run.is("shared_unwritten")) shared_unwritten<<<1, 64>>>(x.device, 40, good);
  if (run.is("global_unwritten")) global_unwritten<<<1, 64>>>(x.device, fresh, good);
  if (run.is("half_written")) {
    Buffer<unsigned short> out(64);
    half_written<<<1, 32>>>(out.device, reinterpret_cast<unsigned *>(fresh), good);
  }
  if (run.is("stack_overflow")) {
    Buffer<int> out(1);
    stack_overflow<<<1, 1>>>(out.device, good);
  }
  return run.finish();
}
