// race_faults.cu: accesses that nothing orders, each beside its corrected twin.
//
// `program NAME bad|good` runs one; the line that breaks the rule ends in `// fault: NAME`.
#include "faults.cuh"

__global__ void missing_barrier(int *x, bool good) {
  __shared__ int slot[64];
  const int i = threadIdx.x;
  slot[i] = i;
  if (good) __syncthreads();
  x[i] = slot[63 - i];  // fault: missing_barrier
}

// The natural order of warps gives the right answer: only the order of events shows the fault.
__global__ void hidden_by_luck(int *x, bool good) {
  __shared__ int slot[64];
  const int i = threadIdx.x;
  slot[i] = i;
  if (good) __syncthreads();
  x[i] = i >= 32 ? slot[i - 32] : 0;  // fault: hidden_by_luck
}

// Volatile keeps the compiler from hoisting the load, but orders nothing. The simulator must get
// out of the loop to tell.
__global__ void volatile_flag(int *x, bool good) {
  __shared__ int value;
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    value = 7;
    __threadfence_block();
    if (good) {
      atomicExch(&flag, 1);
    } else {
      *const_cast<volatile int *>(&flag) = 1;
    }
  }
  if (threadIdx.x == 0) {
    if (good) {
      while (atomicAdd(&flag, 0) == 0) {
      }
      __threadfence_block();
    } else {
      while (*const_cast<volatile int *>(&flag) == 0) {  // fault: volatile_flag
      }
    }
    x[0] = value;
  }
}

__global__ void reused_buffer(int *x, bool good) {
  __shared__ int slot[64];
  const int i = threadIdx.x;
  slot[i] = i;
  __syncthreads();
  const int first = slot[63 - i];
  if (good) __syncthreads();
  slot[i] = 2 * i;  // fault: reused_buffer
  __syncthreads();
  x[i] = first + slot[63 - i];
}

__global__ void warp_synchronous(int *x, bool good) {
  __shared__ int slot[32];
  const int i = threadIdx.x;
  slot[i] = i;
  for (int step = 16; step > 0; step /= 2) {
    if (good) __syncwarp();
    const int other = i < step ? slot[i + step] : 0;  // fault: warp_synchronous
    if (good) __syncwarp();
    slot[i] += other;
  }
  x[i] = slot[i];
}

__global__ void shuffle_is_no_fence(int *x, bool good) {
  __shared__ int slot[32];
  const int i = threadIdx.x;
  slot[i] = i;
  const int lane = __shfl_sync(0xffffffffu, i, i);
  if (good) __syncwarp();
  x[i] = slot[31 - lane];  // fault: shuffle_is_no_fence
}

__global__ void partial_syncwarp(int *x, bool good) {
  __shared__ int slot[32];
  const int i = threadIdx.x;
  slot[i] = i;
  const unsigned half = i < 16 ? 0x0000ffffu : 0xffff0000u;
  __syncwarp(good ? 0xffffffffu : half);
  x[i] = slot[31 - i];  // fault: partial_syncwarp
}

__global__ void across_blocks(int *x, bool good) {
  const int slot = good ? static_cast<int>(blockIdx.x) : 0;
  x[slot] = static_cast<int>(blockIdx.x) + 1;  // fault: across_blocks
}

__global__ void unfenced_last_block(int *x, int *partial, unsigned *arrived, bool good) {
  partial[blockIdx.x] = static_cast<int>(blockIdx.x);
  if (good) __threadfence();
  if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b)
      sum += partial[b];  // fault: unfenced_last_block
    *x = sum;
  }
}

__global__ void plain_beside_atomic(int *x, bool good) {
  if (good || threadIdx.x != 0) {
    atomicAdd(x, 1);
  } else {
    *x = 5;
  }
}

// Without the comparison another thread's update is lost between the read and the exchange.
__global__ void unchecked_guess(int *x, bool good) {
  if (good) {
    int seen = *x, guess;
    do {
      guess = seen;
      seen = atomicCAS(x, guess, guess + 1);
    } while (seen != guess);
  } else {
    const int seen = *x;  // fault: unchecked_guess
    atomicExch(x, seen + 1);
  }
}

__global__ void conflicting_writes(int *x, bool good) {
  const int i = threadIdx.x;
  if (!good || i == 0) *x = i + 1;  // fault: conflicting_writes
}

__global__ void same_value(int *x, bool good) {
  if (!good || threadIdx.x == 0) *x = 7;  // fault: same_value
}

// Neighbouring halves and bytes of one word belong to different threads: no race either way.
__global__ void adjacent_bytes(unsigned char *x, bool) {
  x[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  const Selection run(argc, argv);
  Buffer<int> x(64);
  Buffer<int> partial(64);
  const bool good = run.good;
  if (run.is("missing_barrier")) missing_barrier<<<1, 64>>>(x.device, good);
  if (run.is("hidden_by_luck")) hidden_by_luck<<<1, 64>>>(x.device, good);
  if (run.is("volatile_flag")) volatile_flag<<<1, 64>>>(x.device, good);
  if (run.is("reused_buffer")) reused_buffer<<<1, 64>>>(x.device, good);
  if (run.is("warp_synchronous")) warp_synchronous<<<1, 32>>>(x.device, good);
  if (run.is("shuffle_is_no_fence")) shuffle_is_no_fence<<<1, 32>>>(x.device, good);
  if (run.is("partial_syncwarp")) partial_syncwarp<<<1, 32>>>(x.device, good);
  if (run.is("across_blocks")) across_blocks<<<8, 1>>>(x.device, good);
  if (run.is("unfenced_last_block")) {
    Buffer<unsigned> arrived(1);
    unfenced_last_block<<<8, 1>>>(x.device, partial.device, arrived.device, good);
  }
  if (run.is("plain_beside_atomic")) plain_beside_atomic<<<1, 64>>>(x.device, good);
  if (run.is("unchecked_guess")) unchecked_guess<<<2, 64>>>(x.device, good);
  if (run.is("conflicting_writes")) conflicting_writes<<<1, 64>>>(x.device, good);
  if (run.is("same_value")) same_value<<<1, 64>>>(x.device, good);
  if (run.is("adjacent_bytes")) {
    Buffer<unsigned char> bytes(64);
    adjacent_bytes<<<1, 64>>>(bytes.device, good);
  }
  return run.finish();
}
