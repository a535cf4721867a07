// softmax.cu: softmax over the rows of a matrix as one writes it first: a block of 256 threads for
// each row, and a tree in shared memory for the maximum and for the sum. softmax.cl and
// numba_kernels.py hold the same algorithm.
//
//     program x.bin y.bin workers rows columns
#include "host.cuh"

constexpr int threads = 256;

__device__ float block_maximum(float *partial, float value) {
  const int t = threadIdx.x;
  partial[t] = value;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] = fmaxf(partial[t], partial[t + stride]);
    __syncthreads();
  }
  return partial[0];
}

__device__ float block_sum(float *partial, float value) {
  const int t = threadIdx.x;
  partial[t] = value;
  __syncthreads();
  for (int stride = threads / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] = partial[t] + partial[t + stride];
    __syncthreads();
  }
  return partial[0];
}

// x, y: [rows, columns], row-major; one block a row.
__global__ void softmax_kernel(float *y, const float *x, int columns) {
  __shared__ float partial[threads];
  const float *in = x + blockIdx.x * columns;
  float *out = y + blockIdx.x * columns;

  float largest = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += threads)
    largest = fmaxf(largest, in[c]);
  largest = block_maximum(partial, largest);
  __syncthreads();  // all have read the maximum before the sum overwrites it

  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += threads)
    sum += expf(in[c] - largest);
  sum = block_sum(partial, sum);

  for (int c = threadIdx.x; c < columns; c += threads)
    out[c] = expf(in[c] - largest) / sum;
}

int main(int argc, char **argv) {
  const Arguments arguments(argc, argv, 3, "x.bin y.bin workers rows columns");
  const int rows = arguments.number(1);
  const int columns = arguments.number(2);
  const Tensor x(size_t{1} * rows * columns);
  const Tensor y(size_t{1} * rows * columns);
  x.read(argv[1]);
  const Cost cost = measured(arguments.number(0),
                             [&] { softmax_kernel<<<rows, threads>>>(y.data, x.data, columns); });
  y.write(argv[2]);
  return finish(cost);
}
