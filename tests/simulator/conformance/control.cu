// control.cu: indices, block sizes, early exits, divergence, templates, lambdas, printf, clocks.
#include <cassert>

#include "features.cuh"
#include "included.cuh"

// ---- indices ----
__global__ void indices_kernel(unsigned *out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned size = blockDim.x * blockDim.y * blockDim.z;
  unsigned *mine = out + (block * size + thread) * 2;
  mine[0] = blockIdx.x | blockIdx.y << 4 | blockIdx.z << 8 | threadIdx.x << 12 | threadIdx.y << 18 |
            threadIdx.z << 24;
  mine[1] = gridDim.x | gridDim.y << 4 | gridDim.z << 8 | blockDim.x << 12 | blockDim.y << 18 |
            blockDim.z << 24;
}
static void indices(const char *name, dim3 grid, dim3 block) {
  Feature feature(name);
  Device<unsigned> out(2 * size_t{grid.x} * grid.y * grid.z * block.x * block.y * block.z);
  indices_kernel<<<grid, block>>>(out.data());
  feature.show(out);
}
__global__ void sizes_kernel(int *out) {
  atomicAdd(&out[0], 1);
  if (threadIdx.x % warpSize == 0) atomicAdd(&out[1], 1);
  atomicMax(&out[2], static_cast<int>(threadIdx.x));
}
static void sizes() {
  for (const unsigned size : {1u, 7u, 31u, 33u, 65u, 100u, 257u, 999u, 1024u}) {
    Feature feature("block_of_" + std::to_string(size));
    Device<int> out(3);
    sizes_kernel<<<3, size>>>(out.data());
    feature.show(out);
  }
}

// ---- control flow ----
__global__ void early_exit_kernel(int *out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  if (i % 3 == 0) {
    out[i] = -i;
    return;
  }
  for (int step = 0;; ++step) {
    if (step * step > i) {
      out[i] = step;
      return;
    }
  }
}
__global__ void nested_divergence_kernel(int *out) {
  const int lane = static_cast<int>(threadIdx.x);
  int result = 0;
  for (int i = 0; i < lane % 7 + 2; ++i) {
    if (i % 2 == 0) {
      if (lane % 3 == 0) continue;
      result += i * lane;
      switch (lane % 4) {
        case 0:
          result += 1000;
          break;
        case 1:
          if (i > 3) break;
          result += 100;
          [[fallthrough]];
        case 2:
          result += 10;
          break;
        default:
          result -= i;
      }
    } else if (lane > 20) {
      while (result < 50 * i)
        result += lane;
      if (result > 400) break;
    }
    do {
      ++result;
    } while (result % 5 != lane % 5);
  }
  __syncwarp();
  const unsigned odd = __ballot_sync(0xffffffffu, result % 2);
  out[lane] = result;
  if (lane == 0) out[32] = static_cast<int>(odd);
}
// Lanes meet again inside a loop that some leave early.
__global__ void reconverging_kernel(int *out) {
  const int lane = static_cast<int>(threadIdx.x);
  int left = lane % 5 + 1, rounds = 0;
  while (__any_sync(0xffffffffu, left > 0)) {
    if (left > 0) --left;
    rounds += left > 0 ? 10 : 1;
  }
  out[lane] = rounds;
}
__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ int thrice(int x) {
  return 3 * x;
}
__global__ void calls_kernel(int *out) {
  const int i = static_cast<int>(threadIdx.x);
  int (*const chosen)(int) = i % 2 == 0 ? twice : thrice;
  out[i] = fibonacci(i % 12) + chosen(i) * 1000;
}
template <typename Body>
static void threads_of(const char *name, size_t results, Body body) {
  Feature feature(name);
  Device<int> out(results);
  body(out.data());
  feature.show(out);
}

// ---- C++ ----
template <typename T, int Count, bool Reverse = false>
__global__ void template_kernel(T *out) {
  Window<T, Count> window;
  for (int i = 0; i < Count; ++i)
    window.cells[i] = static_cast<T>(Reverse ? Count - i : i) * static_cast<T>(threadIdx.x);
  if constexpr (Reverse) {
    out[threadIdx.x] = window.sum() - window.cells[0];
  } else {
    out[threadIdx.x] = window.sum();
  }
}
template <typename T, typename Function>
__global__ void functor_kernel(T *out, const T *in, const __grid_constant__ Function function) {
  out[threadIdx.x] = function(in[threadIdx.x]);
}
struct Parameters {
  int weights[10];
  double offset;
  char letter;
};
__global__ void lambda_kernel(int *out, Parameters parameters) {
  const int i = static_cast<int>(threadIdx.x);
  const auto weigh = [&parameters](int at) { return parameters.weights[at % 10]; };
  const auto add = [](auto... values) { return (values + ... + 0); };
  out[i] = add(weigh(i), weigh(2 * i), static_cast<int>(parameters.offset), +parameters.letter);
}
namespace outer {
namespace inner {
__global__ void namespaced_kernel(int *out) {
  out[threadIdx.x] = static_cast<int>(threadIdx.x) + 40;
}
}  // namespace inner
}  // namespace outer
static void language() {
  {
    Feature feature("template_kernels");
    Device<float> floats(8);
    Device<long long> integers(8);
    template_kernel<float, 4><<<1, 8>>>(floats.data());
    template_kernel<long long, 3, true><<<1, 8>>>(integers.data());
    feature.show(floats).show(integers);
  }
  {
    Feature feature("functor_as_argument");
    Device<float> in(std::vector<float>{1.0f, 2.0f, 3.5f}), out(3);
    functor_kernel<<<1, 3>>>(out.data(), static_cast<const float *>(in.data()), Scale{2.5f});
    feature.show(out);
  }
  {
    Feature feature("structure_and_lambdas");
    Parameters parameters = {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, 1000.75, 'c'};
    Device<int> out(12);
    lambda_kernel<<<1, 12>>>(out.data(), parameters);
    feature.show(out);
  }
  threads_of("kernel_in_a_namespace", 4,
             [](int *out) { outer::inner::namespaced_kernel<<<1, 4>>>(out); });
  threads_of("kernel_by_pointer", 4, [](int *out) {
    void (*const kernel)(int *) = outer::inner::namespaced_kernel;
    kernel<<<1, 4>>>(out);
  });
}

// ---- printf, assert, clocks ----
__global__ void printf_kernel(int number) {
  assert(number > 0);
  printf("printf_of_integers\t=\t%d %5d %-5d| %05d %+d %u %x %X %o %c %%\n", -number, number,
         number, number, number, 4000000000u, 48879u, 48879u, 8u, 'q');
  printf("printf_of_long_integers\t=\t%lld %llu %llx %ld %hd\n", -(1ll << 40), ~0ull, 1ull << 36,
         -5l, static_cast<short>(-7));
  printf("printf_of_floats\t=\t%f %.3f %8.2f %e %g %G\n", 1.5, 2.0 / 3.0, 3.14159,
         static_cast<double>(12345.678f), 1e-10, 1e20);
  printf("printf_of_strings\t=\t%s %10s %-6s|\n", "text", "right", "left");
}
__global__ void clocks_kernel(int *out) {
  const long long start = clock64();
  const clock_t early = clock();
  __nanosleep(20);
  long long waited = 0;
  for (int i = 0; i < 1000; ++i)
    waited += clock64() - start;
  out[0] = clock64() > start && waited > 0;
  out[1] = static_cast<int>(early) != 0;
}

int main() {
  indices("grid_and_block_of_one_dimension", 3, 5);
  indices("grid_and_block_of_two_dimensions", dim3(3, 2), dim3(4, 3));
  indices("grid_and_block_of_three_dimensions", dim3(2, 3, 2), dim3(3, 2, 2));
  indices("warps_across_dimensions", dim3(1, 1, 2), dim3(5, 1, 9));
  sizes();
  threads_of("early_exit", 150, [](int *out) { early_exit_kernel<<<3, 64>>>(out, 150); });
  threads_of("nested_divergence", 33, [](int *out) { nested_divergence_kernel<<<1, 32>>>(out); });
  threads_of("reconverging_loop", 32, [](int *out) { reconverging_kernel<<<1, 32>>>(out); });
  threads_of("recursion_and_function_pointers", 24, [](int *out) { calls_kernel<<<1, 24>>>(out); });
  language();
  printf_kernel<<<1, 1>>>(42);
  SUCCEED(cudaDeviceSynchronize());
  threads_of("clocks", 2, [](int *out) { clocks_kernel<<<1, 1>>>(out); });
  return finish();
}
