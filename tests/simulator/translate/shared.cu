// shared.cu: every way shared memory is declared. Lines matter: the test names them.
#include "fake_simulator.h"
// clang-format off: forms as learners write them; the test counts their lines
struct float4 { float x, y, z, w; };
struct __align__(8) Pair { float a, b; };
typedef float real;
template <typename T> struct Storage { typedef T type; template <int N> struct Rows { T rows[N]; }; };
template <typename T, int N> struct Array { T data[N]; };
#define TILE 32
#define TYPE_OF(x) x

extern __shared__ float outside[];
namespace inner { extern __shared__ __align__(16) unsigned char bytes[]; }

template <typename T, int N>
__global__ void dependent() {
  __shared__ T tile[N][N + 1];
  __shared__ typename Storage<T>::type one;
  __shared__ typename Storage<T>::template Rows<N> rows;
  __shared__ alignas(T) unsigned char raw[sizeof(T) * N];
  extern __shared__ T dynamic[];
  tile[0][0] = one = T(); (void)rows; (void)raw; (void)dynamic;
}

__global__ void plain() {
  __shared__ float a[32], b;
  __shared__ float c[TILE][TILE + 1], // first
      *d,
      e[2];
  static __shared__ volatile unsigned int f;
  volatile __shared__ int g[3];
  float __shared__ h[4];
  __shared__ __align__(16) float i[4];
  __align__(16) __shared__ float j[4];
  __shared__ alignas(32) float4 k[2];
  alignas(2 * sizeof(double)) __shared__ float l[4];
  __shared__ struct { int p; double q; } m, n;
  __shared__ union { float p; int q; } o;
  __shared__ Array<Array<float, 2>, 3> p;
  __shared__ real q[(1 < 2) ? 3 : 4];
  __shared__ struct float4 r;
  __shared__ unsigned long long s[2];
  __shared__ float (*t)[4];
  __shared__ TYPE_OF(short) u[6];
  __shared__ Pair v; __shared__ Pair w;
  __shared__ __attribute__((aligned(64))) char x[3];
  [[maybe_unused]] __shared__ decltype(1.0) y;
  switch (1) { case 1: __shared__ char z[5]; z[0] = 0; }
  a[0] = b = c[0][0] = e[0] = 0; (void)d; f = 0; g[0] = 0; (void)h; (void)i; (void)j; (void)k;
  (void)l; m.p = n.p = 1; o.q = 1; (void)p; (void)q; (void)r; (void)s; (void)t; (void)u; (void)v;
  (void)w; (void)x; (void)y;
}

__global__ void dynamic() {
  extern __shared__ float flat[];
  extern __shared__ __align__(16) unsigned char raw[];
  extern __shared__ float rows[][8];
  extern volatile __shared__ int one[], two[];
  flat[1] = 1; raw[1] = 1; rows[1][7] = 1; one[1] = two[1] = 1;
  outside[2] = 1; inner::bytes[2] = 1; float *p = outside + 1; *p = outside[0];
}

int main() {
  dependent<double, 4>();
  plain();
  dynamic();
  std::printf("line %d\n", __LINE__);
}
