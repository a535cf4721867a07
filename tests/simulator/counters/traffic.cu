// traffic.cu: requests whose numbers can be counted by hand. A kernel with a fault of traffic is
// followed by its twin without.
#include "../programs/check.cuh"

// One warp. 32 floats are 128 bytes: 4 sectors.
__global__ void coalesced(float *y, const float *x) {
  y[threadIdx.x] = x[threadIdx.x];  // count: coalesced
}

// 8 floats apart: a sector each.
__global__ void strided(float *y, const float *x) {
  y[threadIdx.x * 8] = x[threadIdx.x * 8];  // count: strided
}

// 128 bytes from the middle of a sector on: 5 sectors.
__global__ void misaligned(float *y, const float *x) {
  y[threadIdx.x + 1] = x[threadIdx.x + 1];  // count: misaligned
}

// 32 * 16 bytes: 16 sectors, and with every other lane missing still half the bytes of all.
__global__ void vectors(float4 *y, const float4 *x) {
  y[threadIdx.x] = x[threadIdx.x];  // count: vectors
}

__global__ void half_of_the_vectors(float4 *y, const float4 *x) {
  if (threadIdx.x % 2 == 0) {
    y[threadIdx.x] = x[threadIdx.x];  // count: half_of_the_vectors
  }
}

// All lanes read one word: 1 sector, and the fewest that hold 4 bytes is 1.
__global__ void one_word(float *y, const float *x) {
  y[threadIdx.x] = x[3];  // count: one_word
}

// A column of a 32 x 32 tile lies in one bank: 32 wavefronts, the ideal is 1.
__global__ void one_bank(float *y) {
  __shared__ float tile[32][32];
  tile[threadIdx.x][0] = 1.0f;  // count: one_bank
  __syncwarp();
  y[threadIdx.x] = tile[threadIdx.x][0];
}

// A row of 33 puts each element of the column into a bank of its own.
__global__ void own_banks(float *y) {
  __shared__ float tile[32][33];
  tile[threadIdx.x][0] = 1.0f;  // count: own_banks
  __syncwarp();
  y[threadIdx.x] = tile[threadIdx.x][0];
}

// 16 bytes a lane: a quarter of the warp at once, 4 wavefronts without a conflict.
__global__ void shared_vectors(float4 *y) {
  __shared__ float4 row[32];
  row[threadIdx.x] = float4{1, 2, 3, 4};
  __syncwarp();
  y[threadIdx.x] = row[threadIdx.x];  // count: shared_vectors
}

// Lanes 2k and 2k + 1 share their 16 bytes: half a warp at once.
__global__ void shared_pairs(float4 *y) {
  __shared__ float4 row[32];
  row[threadIdx.x] = float4{1, 2, 3, 4};
  __syncwarp();
  y[threadIdx.x] = row[threadIdx.x / 2];  // count: shared_pairs
}

// 32 lanes on one address wait for each other 32 times.
__global__ void same_address(int *count) {
  atomicAdd(count, 1);  // count: same_address
}

__global__ void own_address(int *count) {
  atomicAdd(&count[threadIdx.x], 1);  // count: own_address
}

__global__ void same_shared_address(int *y) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  atomicAdd(&count, 1);  // count: same_shared_address
  __syncwarp();
  y[threadIdx.x] = count;
}

__global__ void own_shared_address(int *y) {
  __shared__ int count[32];
  count[threadIdx.x] = 0;
  atomicAdd(&count[threadIdx.x], 1);  // count: own_shared_address
  y[threadIdx.x] = count[threadIdx.x];
}

// Half a warp shuffles alone: the warp is together again behind the branch, one request.
__global__ void half_shuffles(float *y, const float *x) {
  float value = x[threadIdx.x];
  if (threadIdx.x < 16) {
    value += __shfl_xor_sync(0x0000ffffu, value, 8);
    value += __shfl_xor_sync(0x0000ffffu, value, 4);
  }
  y[threadIdx.x] = value;  // count: half_shuffles
}

// Lanes 0 and 1 each go round twice in all, but in different rounds: 2 + 2 requests of one lane.
// Only a trace can tell; the k-th time of each lane would make 2 requests of two.
__global__ void rounds_apart(float *y, const float *x) {
  float sum = 0.0f;
  for (int round = 0; round < 2; ++round) {
    const int turns = round == static_cast<int>(threadIdx.x) ? 2 : 0;
    for (int k = 0; k < turns; ++k) {
      sum += x[threadIdx.x + 8 * k];  // count: rounds_apart
    }
  }
  y[threadIdx.x] = sum;
}

int main() {
  Buffer<float> x(256, 1.0f), y(256, 0.0f);
  Buffer<int> count(32, 0);
  const auto vectors_of = [](Buffer<float> &b) { return reinterpret_cast<float4 *>(b.device); };
  coalesced<<<1, 32>>>(y.device, x.device);
  strided<<<1, 32>>>(y.device, x.device);
  misaligned<<<1, 32>>>(y.device, x.device);
  vectors<<<1, 32>>>(vectors_of(y), vectors_of(x));
  half_of_the_vectors<<<1, 32>>>(vectors_of(y), vectors_of(x));
  one_word<<<1, 32>>>(y.device, x.device);
  one_bank<<<1, 32>>>(y.device);
  own_banks<<<1, 32>>>(y.device);
  shared_vectors<<<1, 32>>>(vectors_of(y));
  shared_pairs<<<1, 32>>>(vectors_of(y));
  same_address<<<1, 32>>>(count.device);
  own_address<<<1, 32>>>(count.device);
  same_shared_address<<<1, 32>>>(count.device);
  own_shared_address<<<1, 32>>>(count.device);
  half_shuffles<<<1, 32>>>(y.device, x.device);
  rounds_apart<<<1, 2>>>(y.device, x.device);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  return finish("traffic");
}
