// approximate.cu: functions of float and double that a GPU computes within so many units in the
// last place. The bounds are those of the CUDA C++ Programming Guide's tables for the device
// function, and one unit more for the host's C library; "abs" where the guide bounds the absolute
// error.
#include "functions.cuh"

#define X(low, high) static_cast<float>(in.between(low, high))
#define Y(low, high) static_cast<float>(in.between_b(low, high))
#define FLOAT(name, bound, low, high) APPROXIMATE(name, unsigned, bound, bits(name(X(low, high))))
#define FLOAT2(name, bound, low, high, low2, high2) \
  APPROXIMATE(name, unsigned, bound, bits(name(X(low, high), Y(low2, high2))))
#define DOUBLE(name, bound, low, high) \
  APPROXIMATE(name, unsigned long long, bound, bits(name(in.between(low, high))))
#define DOUBLE2(name, bound, low, high, low2, high2) \
  APPROXIMATE(name, unsigned long long, bound,       \
              bits(name(in.between(low, high), in.between_b(low2, high2))))

// ---- float ----
FLOAT(rsqrtf, "ulp 3", 0.0, 100.0)
FLOAT(cbrtf, "ulp 2", -100.0, 100.0)
FLOAT(rcbrtf, "ulp 2", -100.0, 100.0)
FLOAT2(hypotf, "ulp 4", -100.0, 100.0, -100.0, 100.0)
FLOAT2(rhypotf, "ulp 3", -100.0, 100.0, -100.0, 100.0)
FLOAT(expf, "ulp 3", -80.0, 80.0)
FLOAT(exp2f, "ulp 3", -120.0, 120.0)
FLOAT(exp10f, "ulp 3", -35.0, 35.0)
FLOAT(expm1f, "ulp 2", -5.0, 5.0)
FLOAT(logf, "ulp 2", 0.0, 100.0)
FLOAT(log2f, "ulp 2", 0.0, 100.0)
FLOAT(log10f, "ulp 3", 0.0, 100.0)
FLOAT(log1pf, "ulp 2", -0.9, 10.0)
FLOAT(sinf, "ulp 3", -100.0, 100.0)
FLOAT(cosf, "ulp 3", -100.0, 100.0)
FLOAT(tanf, "ulp 5", -100.0, 100.0)
FLOAT(sinpif, "ulp 3", -10.0, 10.0)
FLOAT(cospif, "ulp 3", -10.0, 10.0)
FLOAT(asinf, "ulp 3", -1.0, 1.0)
FLOAT(acosf, "ulp 3", -1.0, 1.0)
FLOAT(atanf, "ulp 3", -10.0, 10.0)
FLOAT2(atan2f, "ulp 4", -10.0, 10.0, -10.0, 10.0)
FLOAT(sinhf, "ulp 4", -10.0, 10.0)
FLOAT(coshf, "ulp 3", -10.0, 10.0)
FLOAT(tanhf, "ulp 3", -5.0, 5.0)
FLOAT(asinhf, "ulp 4", -10.0, 10.0)
FLOAT(acoshf, "ulp 5", 1.0, 10.0)
FLOAT(atanhf, "ulp 4", -1.0, 1.0)
FLOAT2(powf, "ulp 5", 0.0, 10.0, -10.0, 10.0)
FLOAT(erff, "ulp 3", -3.0, 3.0)
FLOAT(erfcf, "ulp 5", -3.0, 8.0)
FLOAT(erfinvf, "ulp 3", -1.0, 1.0)
FLOAT(erfcinvf, "ulp 5", 0.0, 2.0)
FLOAT(erfcxf, "ulp 5", -3.0, 30.0)
FLOAT(normcdff, "ulp 6", -5.0, 5.0)
FLOAT(normcdfinvf, "ulp 6", 0.0, 1.0)
FLOAT(lgammaf, "ulp 7", 3.0, 30.0)
FLOAT(tgammaf, "ulp 6", 0.0, 20.0)
FLOAT(j0f, "abs 2.2e-6", -8.0, 8.0)
FLOAT(j1f, "abs 2.2e-6", -8.0, 8.0)
FLOAT(y0f, "abs 2.2e-6", 0.5, 8.0)
FLOAT(y1f, "abs 2.2e-6", 0.5, 8.0)
FLOAT(cyl_bessel_i0f, "ulp 7", -10.0, 10.0)
FLOAT(cyl_bessel_i1f, "ulp 7", -10.0, 10.0)
APPROXIMATE(norm3df, unsigned, "ulp 4", bits(norm3df(X(-9.0, 9.0), Y(-9.0, 9.0), 2.0f)))
APPROXIMATE(norm4df, unsigned, "ulp 4", bits(norm4df(X(-9.0, 9.0), Y(-9.0, 9.0), 2.0f, 3.0f)))
APPROXIMATE(rnorm3df, unsigned, "ulp 3", bits(rnorm3df(X(-9.0, 9.0), Y(-9.0, 9.0), 2.0f)))
APPROXIMATE(rnorm4df, unsigned, "ulp 3", bits(rnorm4df(X(-9.0, 9.0), Y(-9.0, 9.0), 2.0f, 3.0f)))
__device__ inline float both(float sine, float cosine) {
  return sine > cosine ? sine : cosine;
}
__device__ inline float with_sincos(float x) {
  float sine, cosine;
  sincosf(x, &sine, &cosine);
  return both(sine, cosine);
}
__device__ inline float with_sincospi(float x) {
  float sine, cosine;
  sincospif(x, &sine, &cosine);
  return both(sine, cosine);
}
APPROXIMATE(sincosf, unsigned, "ulp 3", bits(with_sincos(X(-100.0, 100.0))))
APPROXIMATE(sincospif, unsigned, "ulp 3", bits(with_sincospi(X(-10.0, 10.0))))

// ---- the fast ones ----
FLOAT2(__fdividef, "ulp 3", -100.0, 100.0, 0.5, 100.0)
FLOAT2(fdividef, "ulp 3", -100.0, 100.0, 0.5, 100.0)
FLOAT(__expf, "ulp 6", -3.0, 3.0)
FLOAT(__exp10f, "ulp 9", -2.0, 2.0)
FLOAT(__logf, "ulp 4", 2.0, 100.0)
FLOAT(__log2f, "ulp 3", 2.0, 100.0)
FLOAT(__log10f, "ulp 4", 2.0, 100.0)
APPROXIMATE(__logf_near_one, unsigned, "abs 4.8e-7", bits(__logf(X(0.5, 2.0))))
APPROXIMATE(__log2f_near_one, unsigned, "abs 3.6e-7", bits(__log2f(X(0.5, 2.0))))
APPROXIMATE(__log10f_near_one, unsigned, "abs 1.8e-7", bits(__log10f(X(0.5, 2.0))))
FLOAT(__sinf, "abs 4.8e-7", -3.14159, 3.14159)
FLOAT(__cosf, "abs 5.4e-7", -3.14159, 3.14159)
FLOAT(__tanf, "abs 4e-6", -1.0, 1.0)
FLOAT(__tanhf, "abs 1e-3", -5.0, 5.0)
FLOAT2(__powf, "ulp 40", 0.5, 10.0, -3.0, 3.0)
__device__ inline float with_fast_sincos(float x) {
  float sine, cosine;
  __sincosf(x, &sine, &cosine);
  return both(sine, cosine);
}
APPROXIMATE(__sincosf, unsigned, "abs 5.4e-7", bits(with_fast_sincos(X(-3.14159, 3.14159))))

// ---- double ----
DOUBLE(rsqrt, "ulp 2", 0.0, 100.0)
DOUBLE(cbrt, "ulp 2", -100.0, 100.0)
DOUBLE(rcbrt, "ulp 2", -100.0, 100.0)
DOUBLE2(hypot, "ulp 3", -100.0, 100.0, -100.0, 100.0)
DOUBLE2(rhypot, "ulp 2", -100.0, 100.0, -100.0, 100.0)
DOUBLE(exp, "ulp 2", -700.0, 700.0)
DOUBLE(exp2, "ulp 2", -1000.0, 1000.0)
DOUBLE(exp10, "ulp 2", -300.0, 300.0)
DOUBLE(expm1, "ulp 2", -5.0, 5.0)
DOUBLE(log, "ulp 2", 0.0, 100.0)
DOUBLE(log2, "ulp 2", 0.0, 100.0)
DOUBLE(log10, "ulp 3", 0.0, 100.0)
DOUBLE(log1p, "ulp 2", -0.9, 10.0)
DOUBLE(sin, "ulp 3", -100.0, 100.0)
DOUBLE(cos, "ulp 3", -100.0, 100.0)
DOUBLE(tan, "ulp 3", -100.0, 100.0)
DOUBLE(sinpi, "ulp 3", -10.0, 10.0)
DOUBLE(cospi, "ulp 3", -10.0, 10.0)
DOUBLE(asin, "ulp 3", -1.0, 1.0)
DOUBLE(acos, "ulp 3", -1.0, 1.0)
DOUBLE(atan, "ulp 3", -10.0, 10.0)
DOUBLE2(atan2, "ulp 3", -10.0, 10.0, -10.0, 10.0)
DOUBLE(sinh, "ulp 3", -10.0, 10.0)
DOUBLE(cosh, "ulp 2", -10.0, 10.0)
DOUBLE(tanh, "ulp 3", -5.0, 5.0)
DOUBLE(asinh, "ulp 4", -10.0, 10.0)
DOUBLE(acosh, "ulp 4", 1.0, 10.0)
DOUBLE(atanh, "ulp 3", -1.0, 1.0)
DOUBLE2(pow, "ulp 3", 0.0, 10.0, -10.0, 10.0)
DOUBLE(erf, "ulp 3", -3.0, 3.0)
DOUBLE(erfc, "ulp 6", -3.0, 8.0)
DOUBLE(erfinv, "ulp 6", -1.0, 1.0)
DOUBLE(erfcinv, "ulp 7", 0.0, 2.0)
DOUBLE(erfcx, "ulp 5", -3.0, 30.0)
DOUBLE(normcdf, "ulp 6", -5.0, 5.0)
DOUBLE(normcdfinv, "ulp 9", 0.0, 1.0)
DOUBLE(lgamma, "ulp 5", 3.0, 30.0)
DOUBLE(tgamma, "ulp 11", 0.0, 20.0)
DOUBLE(cyl_bessel_i0, "ulp 7", -10.0, 10.0)
DOUBLE(cyl_bessel_i1, "ulp 7", -10.0, 10.0)
APPROXIMATE(norm3d, unsigned long long, "ulp 3", bits(norm3d(in.between(-9.0, 9.0), 1.5, 2.0)))
APPROXIMATE(norm4d, unsigned long long, "ulp 3", bits(norm4d(in.between(-9.0, 9.0), 1.5, 2.0, 3.0)))
APPROXIMATE(fdivide, unsigned long long, "=",
            bits(fdivide(in.between(-9.0, 9.0), in.between_b(1.0, 2.0))))

int main(int argument_count, char **arguments) {
  return evaluate_all(argument_count, arguments);
}
