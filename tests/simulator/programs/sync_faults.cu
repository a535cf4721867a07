// sync_faults.cu: barriers, masks, launches and loops that go wrong, each beside its corrected
// twin.
//
// `program NAME bad|good` runs one; the line that breaks the rule ends in `// fault: NAME`.
#include <cassert>

#include "faults.cuh"

__global__ void different_barriers(int *x, bool good) {
  if (threadIdx.x < 32 && !good) {
    __syncthreads();  // fault: different_barriers
  } else {
    __syncthreads();
  }
  x[threadIdx.x] = 1;
}

__global__ void early_exit(int *x, bool good) {
  const int i = threadIdx.x;
  if (!good && i == 63) return;
  __syncthreads();  // fault: early_exit
  x[i] = 1;
}

__global__ void barrier_against_shuffle(int *x, bool good) {
  int value = threadIdx.x;
  if (good || threadIdx.x < 16) {
    value = __shfl_xor_sync(0xffffffffu, value, 1);  // fault: barrier_against_shuffle
  } else {
    __syncthreads();
  }
  x[threadIdx.x] = value;
}

__global__ void mask_beyond_block(int *x, bool good) {
  const unsigned mask = good ? 0x1ffffu : 0xffffffffu;
  x[threadIdx.x] = __any_sync(mask, 1);  // fault: mask_beyond_block
}

__global__ void mask_of_returned(int *x, bool good) {
  if (!good && threadIdx.x == 9) return;
  x[threadIdx.x] = __any_sync(0xffffffffu, 1);  // fault: mask_of_returned
}

__global__ void mask_without_self(int *x, bool good) {
  const unsigned mask = good ? 0xffffffffu : 0xfffffffeu;
  x[threadIdx.x] = static_cast<int>(__ballot_sync(mask, 1));  // fault: mask_without_self
}

__global__ void absent_source(int *x, bool good) {
  const int i = threadIdx.x;
  if (i < 25) {
    const int other = __shfl_down_sync(0x1ffffffu, i, good ? 0 : 16);  // fault: absent_source
    x[i] = other;
  }
}

__global__ void endless_loop(int *x, int n, bool good) {
  while (n > 0) {
    n -= good ? 1 : 0;
    x[0] = n;
  }
}

// Bytes take the longest way through the simulator, where the end must not catch a lane off guard.
__global__ void endless_byte_loop(int *x, int n, bool good) {
  auto *bytes = reinterpret_cast<unsigned char *>(x + blockIdx.x);
  while (n > 0) {
    n -= good ? 1 : 0;
    bytes[0] = static_cast<unsigned char>(n);
  }
}

__global__ void endless_silent_loop(int *x, unsigned n, bool good) {
  unsigned h = n;
  while (h != 0) {  // no memory is touched: only a timer can tell
    h = good ? h / 2 : (h * 2u | 1u);
  }
  x[blockIdx.x] = static_cast<int>(h);
}

__global__ void failed_assert(int *x, bool good) {
  assert(good || x == nullptr);  // fault: failed_assert
  x[threadIdx.x] = 1;
}

__global__ void tall(int *x, bool) {
  x[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  const Selection run(argc, argv);
  Buffer<int> x(2048);
  const bool good = run.good;
  if (run.is("different_barriers")) different_barriers<<<1, 64>>>(x.device, good);
  if (run.is("early_exit")) early_exit<<<1, 64>>>(x.device, good);
  if (run.is("barrier_against_shuffle")) barrier_against_shuffle<<<1, 32>>>(x.device, good);
  if (run.is("mask_beyond_block")) mask_beyond_block<<<1, 17>>>(x.device, good);
  if (run.is("mask_of_returned")) mask_of_returned<<<1, 32>>>(x.device, good);
  if (run.is("mask_without_self")) mask_without_self<<<1, 32>>>(x.device, good);
  if (run.is("absent_source")) absent_source<<<1, 32>>>(x.device, good);
  if (run.is("endless_loop")) endless_loop<<<1, 1>>>(x.device, 5, good);
  if (run.is("endless_byte_loop")) endless_byte_loop<<<4, 1>>>(x.device, 5, good);
  if (run.is("endless_silent_loop")) endless_silent_loop<<<2, 1>>>(x.device, 5u, good);
  if (run.is("failed_assert")) failed_assert<<<1, 32>>>(x.device, good);
  if (run.is("block_too_large"))
    tall<<<1, good ? 1024 : 1500>>>(x.device, good);  // fault: block_too_large
  if (run.is("grid_y_too_large"))
    tall<<<dim3(1, good ? 1 : 65536), 1>>>(x.device, good);              // fault: grid_y_too_large
  if (run.is("empty_grid")) tall<<<good ? 1 : 0, 32>>>(x.device, good);  // fault: empty_grid
  if (run.is("too_much_shared"))
    tall<<<1, 1, good ? 49152 : 49153>>>(x.device, good);  // fault: too_much_shared
  return run.finish();
}
