// warp.cu: shuffles of every width, votes, matches, reductions and __syncwarp, against plain loops.
#include "check.cuh"

__global__ void shuffle_kernel(int *out, int op, int argument, int width) {
  const int lane = threadIdx.x;
  const int value = lane * 3 + 1;
  int result = 0;
  if (op == 0) result = __shfl_sync(0xffffffffu, value, argument, width);
  if (op == 1) result = __shfl_up_sync(0xffffffffu, value, argument, width);
  if (op == 2) result = __shfl_down_sync(0xffffffffu, value, argument, width);
  if (op == 3) result = __shfl_xor_sync(0xffffffffu, value, argument, width);
  out[lane] = result;
}

// By the words of the CUDA programming guide: lanes form segments of `width`; up and down keep
// their own value where the source would leave the segment, xor where it would reach a later
// segment.
static int expected_source(int op, int lane, int argument, int width) {
  const int segment = lane / width * width;
  if (op == 0) return segment + (argument % width + width) % width;
  if (op == 1) return lane - argument >= segment ? lane - argument : lane;
  if (op == 2) return lane + argument < segment + width ? lane + argument : lane;
  return (lane ^ argument) < segment + width ? (lane ^ argument) : lane;
}

static void shuffles() {
  Buffer<int> out(32);
  for (int op = 0; op < 4; ++op) {
    for (int width = 2; width <= 32; width *= 2) {
      for (int argument = 0; argument < 32; ++argument) {
        shuffle_kernel<<<1, 32>>>(out.device, op, argument, width);
        out.download();
        for (int lane = 0; lane < 32; ++lane) {
          CHECK(out.host[lane] == expected_source(op, lane, argument, width) * 3 + 1);
        }
      }
    }
  }
}

template <typename T>
__global__ void typed_kernel(T *out) {
  out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, static_cast<T>(threadIdx.x) / T(2), 1);
}

template <typename T>
static void typed() {
  Buffer<T> out(32);
  typed_kernel<<<1, 32>>>(out.device);
  out.download();
  for (int lane = 0; lane < 32; ++lane)
    CHECK(out.host[lane] == static_cast<T>(lane ^ 1) / T(2));
}

__global__ void vote_kernel(unsigned *out) {
  const int lane = threadIdx.x;
  const unsigned all = 0xffffffffu;
  out[lane] = __ballot_sync(all, lane % 3 == 0);
  out[32 + lane] = static_cast<unsigned>(__any_sync(all, lane == 7));
  out[64 + lane] = static_cast<unsigned>(__all_sync(all, lane < 32));
  out[96 + lane] = static_cast<unsigned>(__all_sync(all, lane < 31));
  out[128 + lane] = __match_any_sync(all, lane / 4);
  int same = 0;
  out[160 + lane] = __match_all_sync(all, 5, &same) + static_cast<unsigned>(same);
  out[192 + lane] = __match_all_sync(all, lane / 16, &same) + static_cast<unsigned>(same);
  out[224 + lane] = __reduce_add_sync(all, static_cast<unsigned>(lane));
  out[256 + lane] = static_cast<unsigned>(__reduce_min_sync(all, lane - 16) + 100);
  out[288 + lane] = static_cast<unsigned>(__reduce_max_sync(all, lane - 40) + 100);
  out[320 + lane] = __reduce_xor_sync(all, 1u << lane);
  out[352 + lane] = __reduce_and_sync(all, ~(1u << lane));
}

static void votes() {
  Buffer<unsigned> out(384);
  vote_kernel<<<1, 32>>>(out.device);
  out.download();
  unsigned thirds = 0;
  for (int lane = 0; lane < 32; lane += 3)
    thirds |= 1u << lane;
  for (int lane = 0; lane < 32; ++lane) {
    CHECK(out.host[lane] == thirds);
    CHECK(out.host[32 + lane] == 1);
    CHECK(out.host[64 + lane] == 1);
    CHECK(out.host[96 + lane] == 0);
    CHECK(out.host[128 + lane] == 0xfu << (lane / 4 * 4));
    CHECK(out.host[160 + lane] == 0);  // 0xffffffff + 1
    CHECK(out.host[192 + lane] == 0);
    CHECK(out.host[224 + lane] == 496);
    CHECK(out.host[256 + lane] == 84);
    CHECK(out.host[288 + lane] == 91);
    CHECK(out.host[320 + lane] == 0xffffffffu);
    CHECK(out.host[352 + lane] == 0);
  }
}

// Halves of a warp exchange through shared memory, each with its own mask.
__global__ void partial_kernel(int *out) {
  __shared__ int slot[32];
  const int lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  slot[lane] = lane;
  __syncwarp(mask);
  const int neighbour = slot[lane ^ 15];
  out[lane] = __shfl_sync(mask, neighbour, lane < 16 ? 0 : 16);
}

static void partial() {
  Buffer<int> out(32);
  partial_kernel<<<1, 32>>>(out.device);
  out.download();
  for (int lane = 0; lane < 32; ++lane)
    CHECK(out.host[lane] == (lane < 16 ? 15 : 31));
}

__global__ void active_kernel(unsigned *out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = __activemask();
  } else {
    out[threadIdx.x] = __activemask();
  }
}

static void active() {
  Buffer<unsigned> out(24);
  active_kernel<<<1, 24>>>(out.device);
  out.download();
  for (int lane = 0; lane < 24; ++lane) {
    CHECK(out.host[lane] == (lane % 2 == 0 ? 0x555555u : 0xaaaaaau));
  }
}

int main() {
  shuffles();
  typed<float>();
  typed<double>();
  typed<long long>();
  typed<unsigned>();
  votes();
  partial();
  active();
  return finish("warp");
}
