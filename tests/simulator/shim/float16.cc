// float16.cc: a filter from binary values on standard input to binary results on standard output.
// float16 <function> <half|bfloat16>; 16-bit values are their bits.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

namespace {

template <typename Result, typename Argument, int Count, typename F>
int each(F function) {
  Argument arguments[Count];
  while (std::fread(arguments, sizeof(Argument), Count, stdin) == Count) {
    const Result result = function(arguments);
    std::fwrite(&result, sizeof result, 1, stdout);
  }
  return 0;
}

__half as(unsigned short bits, __half) {
  return __ushort_as_half(bits);
}
__nv_bfloat16 as(unsigned short bits, __nv_bfloat16) {
  return __ushort_as_bfloat16(bits);
}
unsigned short bits(__half value) {
  return __half_as_ushort(value);
}
unsigned short bits(__nv_bfloat16 value) {
  return __bfloat16_as_ushort(value);
}

template <typename T>
int run(const std::string &function) {
  using u16 = unsigned short;
  const T t{};
  if (function == "to_float") {
    return each<float, u16, 1>([=](const u16 *x) { return static_cast<float>(as(x[0], t)); });
  }
  if (function == "from_float") {
    return each<u16, float, 1>([](const float *x) { return bits(T(x[0])); });
  }
  if (function == "from_double") {
    return each<u16, double, 1>([](const double *x) { return bits(T(x[0])); });
  }
  if (function == "from_long") {
    return each<u16, long long, 1>([](const long long *x) { return bits(T(x[0])); });
  }
  if (function == "add") {
    return each<u16, u16, 2>([=](const u16 *x) { return bits(as(x[0], t) + as(x[1], t)); });
  }
  if (function == "mul") {
    return each<u16, u16, 2>([=](const u16 *x) { return bits(as(x[0], t) * as(x[1], t)); });
  }
  if (function == "div") {
    return each<u16, u16, 2>([=](const u16 *x) { return bits(as(x[0], t) / as(x[1], t)); });
  }
  if (function == "fma") {
    return each<u16, u16, 3>(
        [=](const u16 *x) { return bits(__hfma(as(x[0], t), as(x[1], t), as(x[2], t))); });
  }
  return 2;
}

int directed(const std::string &function, bool half) {
  return each<unsigned short, float, 1>([&](const float *x) {
    if (function == "_rz") return half ? bits(__float2half_rz(*x)) : bits(__float2bfloat16_rz(*x));
    if (function == "_rd") return half ? bits(__float2half_rd(*x)) : bits(__float2bfloat16_rd(*x));
    return half ? bits(__float2half_ru(*x)) : bits(__float2bfloat16_ru(*x));
  });
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 3) return 2;
  const bool half = std::string(arguments[2]) == "half";
  if (arguments[1][0] == '_') return directed(arguments[1], half);
  return half ? run<__half>(arguments[1]) : run<__nv_bfloat16>(arguments[1]);
}
