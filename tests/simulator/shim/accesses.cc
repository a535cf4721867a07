// accesses.cc: one function for each way to read or write memory; the test looks at the calls that
// the compiler inserts into each. Compiled to assembly only.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

extern "C" {

float read_float4(const float4 *p) {
  const float4 v = *p;
  return v.x + v.y * v.z + v.w;
}
float read_float4_later(const float4 *p) {
  float4 v;
  v = p[3];
  return v.x + v.w;
}
int read_int4(const int4 *p) {
  const int4 v = *p;
  return v.x + v.y * v.z + v.w;
}
float read_float2(const float2 *p) {
  const float2 v = *p;
  return v.x * v.y;
}
double read_double2(const double2 *p) {
  const double2 v = *p;
  return v.x * v.y;
}
int read_uchar4(const uchar4 *p) {
  const uchar4 v = *p;
  return v.x + v.y + v.z + v.w;
}
int read_ushort4(const ushort4 *p) {
  const ushort4 v = *p;
  return v.x + v.y + v.z + v.w;
}
float read_half(const __half *p) {
  return __half2float(*p);
}
float read_half_operator(const __half *p) {
  return *p;
}
float read_half2(const __half2 *p) {
  const float2 v = __half22float2(*p);
  return v.x + v.y;
}
float read_bf16(const __nv_bfloat16 *p) {
  return __bfloat162float(*p);
}
float read_bf162(const __nv_bfloat162 *p) {
  const float2 v = __bfloat1622float2(*p);
  return v.x + v.y;
}
float read_cast(const float *p) {
  const float4 v = *reinterpret_cast<const float4 *>(p);
  return v.x + v.y + v.z + v.w;
}
float ldg_float(const float *p) {
  return __ldg(p);
}
float ldg_float4(const float4 *p) {
  const float4 v = __ldg(p);
  return v.x + v.y + v.z + v.w;
}
float ldcs_half2(const __half2 *p) {
  const float2 v = __half22float2(__ldcs(p));
  return v.x + v.y;
}
int ldcg_char4(const char4 *p) {
  const char4 v = __ldcg(p);
  return v.x + v.w;
}

void write_float4(float4 *p, float a) {
  float4 v;
  v.x = a;
  v.y = a + 1;
  v.z = a + 2;
  v.w = a + 3;
  *p = v;
}
void write_make_float4(float4 *p, float a) {
  *p = make_float4(a, a + 1, a + 2, a + 3);
}
void write_braces(float4 *p, float a) {
  *p = float4{a, a + 1, a + 2, a + 3};
}
void write_zeros(float4 *p) {
  *p = float4{0, 0, 0, 0};
}
void write_int4(int4 *p, int a) {
  *p = make_int4(a, 1, 2, 3);
}
void write_uchar4(uchar4 *p, unsigned char a) {
  *p = make_uchar4(a, a, 0, a);
}
void write_half(__half *p, float a) {
  *p = __float2half(a);
}
void write_half_from_float(__half *p, float a) {
  *p = a;
}
void write_half2(__half2 *p, float a) {
  *p = __floats2half2_rn(a, a + 1);
}
void write_half2_made(__half2 *p, __half a) {
  *p = __half2(a, a);
}
void write_bf162(__nv_bfloat162 *p, float a) {
  *p = __floats2bfloat162_rn(a, a + 1);
}
void stcs_float4(float4 *p, float a) {
  __stcs(p, make_float4(a, 1, 2, 3));
}
void stwt_half(__half *p, float a) {
  __stwt(p, __float2half(a));
}

void copy_float4(float4 *p, const float4 *q) {
  *p = *q;
}
void copy_half2(__half2 *p, const __half2 *q) {
  *p = *q;
}
void add_half2(__half2 *p, const __half2 *q) {
  *p = __hadd2(*p, *q);
}
void add_half_operator(__half *p, const __half *q) {
  p[0] = p[1] + *q;
}
void accumulate_half(__half *p, const __half *q) {
  *p += *q;
}
int compare_half(const __half *p, const __half *q) {
  return __hgt(*p, *q) || *p == *q;
}
void fma_half(__half *p, __half a) {
  *p = __hfma(a, a, *p);
}
void maximum(float *p, float a) {
  *p = max(*p, __expf(a) * rsqrtf(a));
}

}  // extern "C"
