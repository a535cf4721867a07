// layout.cc: prints name, size and alignment of every vector type.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector_types.h>

#include <cstdio>

#define SHOW(type) std::printf("%s %zu %zu\n", #type, sizeof(type), alignof(type))
#define SHOW_FAMILY(name) \
  SHOW(name##1);          \
  SHOW(name##2);          \
  SHOW(name##3);          \
  SHOW(name##4)

int main() {
  SHOW_FAMILY(char);
  SHOW_FAMILY(uchar);
  SHOW_FAMILY(short);
  SHOW_FAMILY(ushort);
  SHOW_FAMILY(int);
  SHOW_FAMILY(uint);
  SHOW_FAMILY(long);
  SHOW_FAMILY(ulong);
  SHOW_FAMILY(longlong);
  SHOW_FAMILY(ulonglong);
  SHOW_FAMILY(float);
  SHOW_FAMILY(double);
  SHOW(dim3);
  SHOW(__half);
  SHOW(__half2);
  SHOW(__nv_bfloat16);
  SHOW(__nv_bfloat162);
  return 0;
}
