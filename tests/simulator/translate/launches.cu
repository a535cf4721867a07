// launches.cu: every way a launch is written. Lines matter: the test names them.
#include "fake_simulator.h"
// clang-format off: forms as learners write them; the test counts their lines
__global__ void plain() { std::puts("ran plain"); }
__global__ void takes(int a, const char *b) { std::printf("ran takes %d %s\n", a, b); }
template <typename T, int N> __global__ void typed(T *x, int n) { std::printf("ran typed %zu %d %d\n", sizeof(T), N, n); (void)x; }
template <bool B> __global__ void flag(int) { std::printf("ran flag %d\n", B); }
namespace outer { namespace inner { template <typename T> __global__ void nested(T v) { std::printf("ran nested %d\n", int(v)); } } }
struct Policy { template <int N> static __global__ void run(int v) { std::printf("ran run %d %d\n", N, v); } static constexpr int block = 64; };
template <typename T> struct Box { static constexpr unsigned size = sizeof(T); };
struct Table { void (*kernel)(int, const char *); };
template <typename A, typename B> A first(A a, B) { return a; }
#define BLOCK 128
#define LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define LAUNCH_FLAG(name, value) \
  name##g<value><<<1, BLOCK>>>(0)

template <typename P, typename T>
void dependent(T *x, cudaStream_t stream) {
  P::template run<3><<<dim3(2, 3), P::block, sizeof(T) * 4, stream>>>(7);
  typed<T, P::block / 2><<<1, 1, 0, stream>>>(x, 4);
}

void all() {
  float f = 0;
  plain<<<1, 2>>>();
  plain <<< 1 , 2 >>> ( );
  takes<<<dim3(1, 2, 3), (4)>>>(first(5, 6), "<<<1, 2>>>(");
  typed<float, 32><<<(1 > 0 ? 2 : 3), BLOCK>>>(&f, 3);
  flag<(2 > 1)><<<1, 1>>>(0);
  outer::inner::nested<short><<<1, Box<Box<float>>::size>>>(7);
  ::outer::inner::nested<int><<<1, 256 >> 2>>>(8);
  if (f == 0) ::plain<<<3, 1>>>(); else plain<<<4, 1>>>();
  void (*pointer)(int, const char *) = takes;
  pointer<<<1, 1>>>(9, "pointer");
  (*pointer)<<<1, 1>>>(10, "star");
  Table tables[2] = {{takes}, {takes}}, *table = tables;
  tables[1].kernel<<<1, 1>>>(11, "index");
  table->kernel<<<1, 1>>>(12, "arrow");
  typed<
      double, 8>  // a comment, with a ) in it
      <<<dim3(
             2,
             2),
         first<int, int>(16, 0), /* bytes */ 48>>>(
          nullptr,
          __LINE__);
  LAUNCH(plain, 1, 1);
  LAUNCH(takes, dim3(2, 2), BLOCK, 13, "macro");
  LAUNCH_FLAG(fla, true);
  auto in_lambda = [&](int v) { takes<<<1, 1>>>(v, [] { return "lambda"; }()); };
  in_lambda(14);
  for (int i = 0; i < 1; ++i) takes<<<1, i + 1>>>(i, "for");
  dependent<Policy>(&f, 5);
  std::printf("line %d\n", __LINE__);
}

int main() { all(); }
