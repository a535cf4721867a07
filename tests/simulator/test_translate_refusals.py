"""What the simulator cannot run or read is refused with its place and a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.simulator.conditions import evaluate
from camp.simulator.translate import TranslationError, Translator


def translate(text: str, folder: Path) -> str:
    path = folder / "file.cu"
    path.write_text(text)
    return Translator(folder / "headers").translate(path)


# (text with the refused place marked by @, what needs a GPU)
NEEDS_A_GPU = [
    # inline PTX
    ('void f() {\n  @asm volatile("bar.sync 0;");\n}', "inline PTX (asm)"),
    ('void f() { @__asm__("x" : "=r"(a)); }', "inline PTX (asm)"),
    ('void f() { @__asm__ __volatile__("x"); }', "inline PTX (asm)"),
    ('void f() {\n  @asm goto("x" : : : : l);\n}', "inline PTX (asm)"),
    ('void f() { @asm(R"(mov.u32 %0, %laneid;)" : "=r"(a)); }', "inline PTX (asm)"),
    ("#include @<cuda/ptx>", "inline PTX (cuda::ptx), from <cuda/ptx>"),
    # ... in a macro: where it is used
    (
        '#define PTX asm("x")\nvoid f() {\n  @PTX;\n}',
        "inline PTX (asm), in the macro PTX",
    ),
    (
        '#define B(n) A(n)\n#define A(n) \\\n  asm volatile("x" : : "r"(n))\nvoid f() { @B(1); }',
        "inline PTX (asm), in the macro B",
    ),
    # tensor cores
    ("#include @<mma.h>", "tensor cores (nvcuda::wmma), from <mma.h>"),
    ('#include @"mma.h"', "tensor cores (nvcuda::wmma), from <mma.h>"),
    ("#  include  @<crt/mma.h>  // tensor cores", "tensor cores (nvcuda::wmma), from <crt/mma.h>"),
    ("using namespace @nvcuda;", "tensor cores (nvcuda::wmma)"),
    ("@wmma::fragment<wmma::matrix_a, 16, 16, 16, half> a;", "tensor cores (nvcuda::wmma)"),
    (
        "void f() { @__hmma_m16n16k16_ld_a(a, b, 1, 0); }",
        "tensor cores and other built-ins of nvcc",
    ),
    ("MMA_Atom<@SM80_16x8x16_F32F16F16F32_TN> m;", "the CuTe atom SM80_16x8x16_F32F16F16F32_TN"),
    # libraries for kernels
    ("#include @<cub/block/block_reduce.cuh>", "CUB, from <cub/block/block_reduce.cuh>"),
    ("void f() { @cub::BlockReduce<float, 32> r; }", "CUB"),
    ("#include @<thrust/device_vector.h>", "Thrust, from <thrust/device_vector.h>"),
    ("void f() { ::@thrust::sort(a, b); }", "Thrust"),
    ("#include @<cute/tensor.hpp>", "CuTe, from <cute/tensor.hpp>"),
    ("auto layout = @cute::make_layout(4);", "CuTe"),
    ("#include @<cutlass/numeric_types.h>", "CUTLASS, from <cutlass/numeric_types.h>"),
    ("@cutlass::half_t h;", "CUTLASS"),
    ("#include @<cublas_v2.h>", "cublas, from <cublas_v2.h>"),
    ("#include @<cuda.h>", "the driver API, from <cuda.h>"),
    ("#include @<cuda_fp8.h>", "numbers of 4, 6 and 8 bits, from <cuda_fp8.h>"),
    ("#include @<cuda/std/array>", "libcu++, from <cuda/std/array>"),
    # asynchronous copies and TMA
    ("#include @<cuda/barrier>", "cuda::barrier, from <cuda/barrier>"),
    ("#include @<cuda/std/barrier>", "cuda::barrier, from <cuda/std/barrier>"),
    ("#include @<cuda/pipeline>", "cuda::pipeline, from <cuda/pipeline>"),
    (
        "#include @<cuda_pipeline.h>",
        "asynchronous copies (cuda_pipeline.h), from <cuda_pipeline.h>",
    ),
    (
        "#include @<cooperative_groups/memcpy_async.h>",
        "asynchronous copies (cooperative_groups), from <cooperative_groups/memcpy_async.h>",
    ),
    ("void f() { cg::@memcpy_async(block, to, from, 4); }", "asynchronous copies"),
    ("void f() { @__pipeline_commit(); }", "asynchronous copies"),
    ("void f(const __grid_constant__ @CUtensorMap map);", "TMA"),
    ("auto t = @make_tma_copy(a, b, c);", "TMA"),
    ("Copy_Atom<@SM90_TMA_LOAD, float> c;", "the CuTe atom SM90_TMA_LOAD"),
    # clusters, textures, dynamic parallelism
    (
        "@cudaLaunchAttribute a[1];",
        "launch attributes such as clusters (cudaLaunchAttribute)",
    ),
    (
        "  @cudaLaunchKernelExC(&c, k, x);",
        "launch attributes such as clusters (cudaLaunchKernelExC)",
    ),
    (
        "a.id = @cudaLaunchAttributeClusterDimension;",
        "launch attributes such as clusters (cudaLaunchAttributeClusterDimension)",
    ),
    (
        "  @cudaLaunchCooperativeKernel(k, 1, 1, x);",
        "a barrier of the whole grid (cudaLaunchCooperativeKernel)",
    ),
    (
        "  @cudaGraphAddKernelNode(&n, g, 0, 0, &p);",
        "graphs built node by node (cudaGraphAddKernelNode)",
    ),
    (
        "void f(cg::@block_tile_memory<256> &scratch);",
        "tiles of more than 32 threads",
    ),
    (
        "@__nv_atomic_fetch_add(p, 1, 0, 0);",
        "atomics of nvcc's own built-ins (__nv_atomic_fetch_add)",
    ),
    ("__global__ void @__cluster_dims__(2) k();", "thread block clusters"),
    ("void f() { cg::@this_cluster().sync(); }", "thread block clusters"),
    ("void f(@cudaTextureObject_t t);", "textures"),
    ("void f() { float v = @tex2D<float>(t, x, y); }", "textures"),
    ("__global__ void k() {\n  @other<int><<<1, 32>>>(2);\n}", "a kernel launched by a kernel"),
    ("__device__ void d(int n) { if (n) { @k<<<1, 1>>>(); } }", "a kernel launched by a kernel"),
]


@pytest.mark.parametrize(("marked", "what"), NEEDS_A_GPU)
def test_needs_a_gpu(marked: str, what: str, tmp_path: Path) -> None:
    before, _, after = marked.partition("@")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    with pytest.raises(TranslationError) as caught:
        translate(before + after, tmp_path)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert error.message.startswith(f"needs a GPU: {what}")
    assert str(error) == f"{tmp_path / 'file.cu'}:{line}:{column}: error: {error.message}"


@pytest.mark.parametrize(
    "text",
    [
        # comments, strings and code that is not compiled
        '// asm("x"); nvcuda::wmma cub::BlockReduce',
        '/* asm("x");\n #include <mma.h> */ int a;',
        'const char *s = "asm(\\"x\\") cub::BlockReduce";',
        'const char *s = R"(asm volatile("x");)";',
        '#if 0\nvoid f() { asm("x"); }\n#include <mma.h>\n#endif',
        # names that only look alike
        "int asm_count = 1, wmma = 2, cub = 3; bool b = cub < 4;",
        "struct S { int tex2D; } s; int a = s.tex2D; void g() { helper.memcpy_async(1); }",
        "constexpr int SM90_SHARED_BYTES = 227 * 1024; enum { SM_80 };",
        "namespace cub { int f(); }",
        "int barrier = 0; void pipeline(); #pragma unroll",
        "void this_cluster_size(); int cudaLaunch = 1;",
        # an empty statement is a barrier to the compiler
        'void f() { asm volatile("" ::: "memory"); }',
        '#define FENCE asm volatile("" ::: "memory")\nvoid f() { FENCE; }',
        # macros that are not used, or not as they once were
        '#define PTX asm("x")\nint PTX_count = 0;',
        '#define PTX asm("x")\n#undef PTX\n#define PTX 1\nint a = PTX;',
        "#define A B\n#define B A\nint a = A;",
        # headers of the simulator, of C++ and of the learner
        "#include <cuda_runtime.h>\n#include <cooperative_groups.h>\n#include <cuda_fp16.h>",
        "#include <atomic>\n#include <barrier>",
        # a launch by the host
        "void f() {\n  k<<<1, 32>>>(2);\n}",
        "__host__ __device__ void f() {\n  k<<<1, 32>>>(2);\n}",
        "__global__ void k();\nvoid f() {\n  k<<<1, 32>>>();\n}",
    ],
)
def test_what_only_looks_alike_is_not_refused(text: str, tmp_path: Path) -> None:
    assert translate(text, tmp_path)


def test_a_macro_of_a_header_is_refused_where_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "ptx.cuh").write_text('#pragma once\n#define LANE(x) asm("mov" : "=r"(x))\n')
    assert translate('#include "ptx.cuh"\nint a;\n', tmp_path)
    with pytest.raises(TranslationError, match=r"file\.cu:2:12: error: needs a GPU: inline PTX"):
        translate('#include "ptx.cuh"\nvoid f() { LANE(a); }\n', tmp_path)


GUARDS = [
    "#ifndef CAMP_SIM\n{}\n#endif",
    "#if !defined(CAMP_SIM)\n{}\n#endif",
    "#ifdef __CUDA_ARCH__\n{}\n#endif",
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n{}\n#endif",
    "#if __CUDA_ARCH__ >= 800\n{}\n#endif",
    "#if CAMP_SIM\nint a;\n#else\n{}\n#endif",
    "#if UNKNOWN\n#if __CUDA_ARCH__\n{}\n#endif\n#endif",
    "#ifdef CAMP_SIM\n#elif UNKNOWN\n{}\n#endif",
    "#ifdef __CUDACC__\n#if UNKNOWN\n{}\n#else\n{}\n#endif\n#endif",
    "#define USE_PTX 0\n#if USE_PTX\n{}\n#endif",
    "#ifndef GUARD\n#define GUARD\n#define USE_PTX 0\n#if USE_PTX > 0\n{}\n#endif\n#endif",
    "#ifdef CAMP_SIM\n#define SLOW\n#endif\n#ifndef SLOW\n{}\n#endif",
    "#define FAST\n#undef FAST\n#ifdef FAST\n{}\n#endif",
    "#if __has_include(<mma.h>)\n{}\n#endif",
]


@pytest.mark.parametrize("guard", GUARDS)
def test_guarded_code_is_not_looked_at(guard: str, tmp_path: Path) -> None:
    text = guard.replace("{}", '#include <mma.h>\nasm("x");')
    assert translate(text, tmp_path).partition("\n")[2] == text


@pytest.mark.parametrize(
    "guard",
    [
        "#ifdef CAMP_SIM\n{}\n#endif",
        "#ifdef UNKNOWN\n{}\n#endif",
        "#if UNKNOWN\nint a;\n#else\n{}\n#endif",
        "#if __CUDA_ARCH__ < 800\n{}\n#endif",
        "#ifndef CAMP_SIM\n#else\n{}\n#endif",
        "#ifdef __CUDACC__\n#elif CAMP_SIM\n{}\n#endif",
        "#ifndef CAMP_SIM\n#endif\n{}",
        "#define USE_PTX 1\n#if USE_PTX\n{}\n#endif",
        "#ifdef UNKNOWN\n#define USE_PTX 0\n#endif\n#if USE_PTX\n{}\n#endif",
        "#ifndef USE_PTX\n#define USE_PTX 1\n#endif\n#if USE_PTX\n{}\n#endif",
        "#if __has_include(<vector>)\n{}\n#endif",
    ],
)
def test_code_the_compiler_may_see_is_looked_at(guard: str, tmp_path: Path) -> None:
    with pytest.raises(TranslationError, match="needs a GPU"):
        translate(guard.replace("{}", 'asm("x");'), tmp_path)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("defined(CAMP_SIM)", True),
        ("defined CAMP_SIM && !defined __CUDACC__", True),
        ("__CUDA_ARCH__ >= 800 || CAMP_SIM", True),
        ("UNKNOWN && 0", False),
        ("UNKNOWN || 1", True),
        ("UNKNOWN", None),
        ("!UNKNOWN", None),
        ("(1 + 2) * 3 == 9", True),
        ("0x10 == 16u", True),
        ("1 ? 2 : 3", None),
        ("__has_include(<x.h>)", None),
        ("", None),
        ("(", None),
    ],
)
def test_conditions(condition: str, expected: bool | None) -> None:
    assert evaluate(condition) is expected


MALFORMED = [
    ("void f() { k<<<1>>>(x); }", 13, "<<<grid, block>>>"),
    ("void f() { k<<<>>>(x); }", 13, "<<<grid, block>>>"),
    ("void f() { k<<<1, 2, 3, 4, 5>>>(x); }", 13, "<<<grid, block>>>"),
    ("void f() { k<<<1, 2>>; }", 13, "no matching '>>>('"),
    ("void f() { k<<<1, 2>>>; }", 13, "no matching '>>>('"),
    ("void f() { k<<<1, 2>>>(x; }", 23, "no closing ')'"),
    ("void f() { return <<<1, 2>>>(x); }", 19, "which kernel"),
    ("void f() {\t__shared__ float a[]; }", 30, "'a' needs a size"),
    ("void f() { __shared__ float a = 1; }", 31, "'a' cannot have an initial value"),
    ("void f() { __shared__ float a{}; }", 30, "'a' cannot have an initial value"),
    ("void f() { __shared__ float a(1); }", 30, "'a' cannot have an initial value"),
    ("void f() { __shared__ float a[2] = {1, 2}; }", 34, "'a' cannot have an initial value"),
    ("void f() { extern __shared__ float a; }", 36, "must be an array"),
    ("void f() { __shared__ float a[2] }", 33, "expected ';'"),
    ("void f() { __shared__ float a[2]\n int b; }", 33, "expected ';'"),
    ("void f() { __shared__ a; }", 12, "cannot read this __shared__ declaration"),
    ("void f() { __shared__ ; }", 12, "cannot read this __shared__ declaration"),
    ("__shared__ float a[3];", 1, "inside a kernel"),
    ("#define TILE(n) __shared__ float n[3]", 17, "a macro cannot hold __shared__"),
]


@pytest.mark.parametrize(("text", "column", "why"), MALFORMED)
def test_malformed_code_is_told_at_its_column(
    text: str, column: int, why: str, tmp_path: Path
) -> None:
    with pytest.raises(TranslationError) as caught:
        translate(text, tmp_path)
    assert why in caught.value.message
    assert (caught.value.line, caught.value.column) == (1, column)


def test_a_mistake_elsewhere_leaves_launches_readable(tmp_path: Path) -> None:
    """The host compiler tells the learner's mistake; the translation around it still works."""
    text = "void f() { int x = ; if (x { k<<<1, 2>>>(x); __shared__ int a[2];\n"
    translated = translate(text, tmp_path)
    assert "::camp_sim::launch(" in translated
    assert "auto &a" in translated
