// order_faults.cu: order passed on through several hands, each beside its corrected twin.
//
// `program NAME bad|good` runs one; the line that breaks the rule ends in `// fault: NAME`.
#include "faults.cuh"

// The lanes of a warp write, one of them fences and counts for all: __syncwarp() hands it what the
// others did.
__global__ void counted_by_one_lane(int *total, int *parts, unsigned *arrived, bool good) {
  const int lane = threadIdx.x;
  parts[blockIdx.x * 32 + lane] = lane;
  if (good) __syncwarp();
  if (lane == 0) {
    __threadfence();
    if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
      int sum = 0;
      for (unsigned i = 0; i < gridDim.x * 32; ++i)
        sum += parts[i];  // fault: counted_by_one_lane
      *total = sum;
    }
  }
}

// Every thread fences its own write, and after the barrier one counts for the block.
__global__ void fenced_before_barrier(int *total, int *parts, unsigned *arrived, bool good) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  parts[i] = i;
  if (good) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && atomicAdd(arrived, 1u) == gridDim.x - 1) {
    int sum = 0;
    for (unsigned k = 0; k < gridDim.x * 64; ++k)
      sum += parts[k];  // fault: fenced_before_barrier
    *total = sum;
  }
}

// A lane that has left is not waited for, so what it wrote is not there for certain.
__global__ void left_before_syncwarp(int *x, bool good) {
  __shared__ int slot[32];
  const int lane = threadIdx.x;
  slot[lane] = lane;
  if (good) __syncwarp();
  if (lane < 16) return;
  __syncwarp(0xffff0000u);
  x[lane] = slot[lane - 16];  // fault: left_before_syncwarp
}

// The plain write is ordered before one lane's atomic, but not before another's.
__global__ void write_behind_atomic(int *x, bool good) {
  __shared__ int sum;
  const int lane = threadIdx.x;
  if (lane == 0) sum = 0;
  __syncwarp(good ? 0xffffffffu : lane < 2 ? 0x3u : 0xfffffffcu);
  if (lane == 1) atomicAdd(&sum, 1);
  if (lane == 3) atomicAdd(&sum, 1);  // fault: write_behind_atomic
  x[lane] = lane;
}

// Two calls of one function that is compiled once: each is a place of its own.
__global__ void second_atomic(int *x, int *y, bool good) {
  atomicAdd(x, 1);
  atomicMax(y, 1);
  atomicAdd(x + 1, 1);
  atomicMax(y + 1, 1);
  if (good) return;
  if (threadIdx.x == 1) x[2] = 7;
  atomicAdd(x + 2, 1);  // fault: second_atomic
  atomicMax(y + 2, 1);
}

// The first half of each value is the same for all lanes, the second is not.
__global__ void second_half_differs(double *x, bool good) {
  if (!good || threadIdx.x == 0) *x = threadIdx.x;  // fault: second_half_differs
}

int main(int argc, char **argv) {
  const Selection run(argc, argv);
  Buffer<int> x(64);
  Buffer<int> parts(256);
  Buffer<unsigned> arrived(1);
  const bool good = run.good;
  if (run.is("counted_by_one_lane")) {
    counted_by_one_lane<<<4, 32>>>(x.device, parts.device, arrived.device, good);
  }
  if (run.is("fenced_before_barrier")) {
    fenced_before_barrier<<<4, 64>>>(x.device, parts.device, arrived.device, good);
  }
  if (run.is("left_before_syncwarp")) left_before_syncwarp<<<1, 32>>>(x.device, good);
  if (run.is("write_behind_atomic")) write_behind_atomic<<<1, 32>>>(x.device, good);
  if (run.is("second_atomic")) second_atomic<<<1, 32>>>(x.device, parts.device, good);
  Buffer<double> real(1);
  if (run.is("second_half_differs")) second_half_differs<<<1, 32>>>(real.device, good);
  return run.finish();
}
