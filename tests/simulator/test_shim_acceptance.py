"""test_shim_acceptance: what the simulator's headers compile is what nvcc compiles, and no more.

A kernel that only the simulator takes would mislead; so would one that only it refuses.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from camp.toolchain import require_cxx
from tests.simulator.harness import ROOT

INCLUDE = ROOT / "native/sim/include"
PRELUDE = """#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math_constants.h>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
"""

ACCEPTED = [
    "__half f(__half h) { return h + __half(1.0f); }",
    "float f(__half h) { float x = h; return x; }",
    "int f(__half h) { return (int)h; }",
    "__half f(float x) { __half h = x; return h; }",
    "__half f(float x) { __half h; h = x; return h; }",
    "__half f(double x) { __half h = x; return h; }",
    "__half f(int x) { __half h = x; return h; }",
    "bool f(__half h) { if (h) return true; return false; }",
    "float f(__half h) { return expf(h); }",
    "float f(__half h) { return fmaxf(h, 1.0f); }",
    "__half f(bool c, __half b) { return c ? b : __half(0); }",
    "float f(bool c, __half b) { return c ? (float)b : 0.0f; }",
    "__half f(__half a) { a += 1.0f; return a; }",
    "__half f(__half a) { a += a; return a; }",
    "__half f(__half a) { a *= 2; return a; }",
    "float f(__nv_bfloat16 a) { return a * a; }",
    "__nv_bfloat16 f(__half a) { return __nv_bfloat16(a); }",
    "__nv_bfloat16 f(__half a) { return static_cast<__nv_bfloat16>(static_cast<float>(a)); }",
    "__half2 f(float a) { return __half2(a, a); }",
    "__half2 f(__half a) { return {a, a}; }",
    "__half2 f(__half a) { return __half2{a, a}; }",
    "__half2 f(__half2 a) { return a*a+a; }",
    "float f(__half2 a) { return a.x; }",
    "__half f(__half a) { return -a; }",
    "float f(const float*p) { return __ldg(p); }",
    "float f(const __half*p) { return __ldg(p); }",
    "float f(float*p) { return atomicAdd(p, 1); }",
    "float f(float*p) { return atomicAdd(p, 1.0); }",
    "float4 f(float a) { return float4{a, a, a, a}; }",
    "float4 f(float a) { float4 v = {a, a}; return v; }",
    "int f(dim3 d) { return d.x; }",
    "float f(float a) { return __expf(a)+__logf(a)+rsqrtf(a)+__fdividef(a, a)+exp10f(a); }",
    "float f(float a) { return sqrt(a)+abs(a)+fabs(a)+pow(a, 2)+tanh(a)+erff(a); }",
    "bool f(float a) { return isnan(a)||isinf(a); }",
    "__half f(unsigned m, __half a) { return __shfl_xor_sync(m, a, 1); }",
    "__half2 f(unsigned m, __half2 a) { return __shfl_down_sync(m, a, 1); }",
    "__nv_bfloat16 f(unsigned m, __nv_bfloat16 a) { return __shfl_sync(m, a, 1); }",
    "char f(unsigned m, char a) { return __shfl_sync(m, a, 1); }",
    "bool f(unsigned m, bool a) { return __shfl_sync(m, a, 1); }",
    "void f(float*p) { __stcs(p, 1); }",
    "__half f(const float2 v) { return __float22half2_rn(v).x; }",
    "unsigned f(unsigned m, float v) { return __match_any_sync(m, v); }",
    "__half f() { return __half(); }",
    "__half f() { return CUDART_INF_FP16; }",
    "__half f() { return __half(CUDART_INF_F); }",
    "double f(double*p) { return atomicAdd(p, 1.0); }",
    "float f(float x) { return __int_as_float(0x7f800000)+FLT_MAX+INFINITY; }",
    "bool f(__half a, __half b) { return a==b && a!=b && a<b; }",
    "float f(__half a) { return float(a)+__half2float(a); }",
    "float f(float x) { return fdividef(x, 2)+__frcp_rn(x)+__saturatef(x); }",
    "long f() { return clock64()+clock(); }",
    'void f() { assert(threadIdx.x==0); printf("%d", 1); __trap(); }',
]

# Ambiguous, or of a type that the function does not take.
REFUSED = [
    "float f(__half h) { return h + 1.0f; }",
    "float f(__half h) { return 2.0f * h; }",
    "bool f(__half h) { return h > 0; }",
    "bool f(__half h) { return h > 0.0f; }",
    "__half f(__half a, __half b) { return max(a, b); }",
    "__half f(bool c, __half b) { return c ? b : 0.0f; }",
    "float3 f(const float3*p) { return __ldg(p); }",
    "bool f(const bool*p) { return __ldg(p); }",
    "size_t f(size_t*p) { return atomicAdd(p, (size_t)1); }",
    "float f(float*p) { return atomicMax(p, 1.0f); }",
    "long long f(long long*p) { return atomicAdd(p, 1ll); }",
    "int f(int a, float b) { return max(a, b); }",
    "float f(int a, float b) { return min(a, b); }",
    "size_t f(size_t a, int b) { return min(a, b); }",
    "int64_t f(int64_t a, int b) { return min(a, b); }",
    "int f(int a, size_t b) { return max(a, b); }",
    "float4 f(float4 a, float4 b) { return a+b; }",
    "float f(float4 a) { return a[0]; }",
    "float4 f(float a) { return make_float4(a); }",
    "float4 f(unsigned m, float4 a) { return __shfl_sync(m, a, 1); }",
    "unsigned f(unsigned m, float v) { return __reduce_add_sync(m, v); }",
    "bool f(__half a, float b) { return a<b; }",
    "__half f(__half a) { return a/2; }",
]


def _accepts(command: list[str], path: Path, function: str) -> bool:
    path.write_text(f"{PRELUDE}__device__ {function}\n")
    done = subprocess.run([*command, str(path)], capture_output=True, check=False)
    return done.returncode == 0


def _host() -> list[str]:
    return [str(require_cxx()), "-std=c++17", f"-I{INCLUDE}", "-fsyntax-only"]


def test_what_nvcc_takes_compiles(tmp_path: Path) -> None:
    functions = [f"namespace n{i} {{ __device__ {text} }}" for i, text in enumerate(ACCEPTED)]
    source = tmp_path / "accepted.cc"
    source.write_text(PRELUDE + "\n".join(functions) + "\n")
    done = subprocess.run([*_host(), str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_what_nvcc_refuses_does_not_compile(tmp_path: Path) -> None:
    wrongly = [text for text in REFUSED if _accepts(_host(), tmp_path / "refused.cc", text)]
    assert wrongly == []


@pytest.mark.gpu
@pytest.mark.slow
def test_the_lists_are_those_of_nvcc(tmp_path: Path) -> None:
    nvcc = ["nvcc", "-std=c++17", "-ptx", "-o", str(tmp_path / "out.ptx")]
    for text in ACCEPTED + REFUSED:
        assert _accepts(nvcc, tmp_path / "function.cu", text) == (text in ACCEPTED), text
