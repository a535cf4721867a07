// gemm.cu: a matrix product with tiles of 16 x 16 in shared memory, as one writes it first.
// gemm.cl and numba_kernels.py hold the same algorithm.
//
//     program a.bin b.bin c.bin workers m n k
#include "host.cuh"

constexpr int tile = 16;

// a: [m, k], b: [k, n], c: [m, n], row-major, all multiples of the tile; one block a tile of c.
__global__ void gemm_kernel(float *c, const float *a, const float *b, int n, int k) {
  __shared__ float a_tile[tile][tile];
  __shared__ float b_tile[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y;
  const int column = blockIdx.x * tile + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += tile) {
    a_tile[threadIdx.y][threadIdx.x] = a[row * k + start + threadIdx.x];
    b_tile[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

int main(int argc, char **argv) {
  const Arguments arguments(argc, argv, 4, "a.bin b.bin c.bin workers m n k");
  const int m = arguments.number(1);
  const int n = arguments.number(2);
  const int k = arguments.number(3);
  const Tensor a(size_t{1} * m * k);
  const Tensor b(size_t{1} * k * n);
  const Tensor c(size_t{1} * m * n);
  a.read(argv[1]);
  b.read(argv[2]);
  const Cost cost = measured(arguments.number(0), [&] {
    gemm_kernel<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(c.data, a.data, b.data, n, k);
  });
  c.write(argv[3]);
  return finish(cost);
}
