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


NEEDS_A_GPU = [
    ('void f() {\n  asm volatile("bar.sync 0;");\n}', 2, 3, "inline PTX (asm)"),
    ('void f() { __asm__("x" : "=r"(a)); }', 1, 12, "inline PTX (asm)"),
    ('#define PTX asm("x")\nvoid f() {\n  asm goto("x" : : : : l);\n}', 3, 3, "inline PTX (asm)"),
    ("#include <mma.h>", 1, 10, "tensor cores (nvcuda::wmma), from <mma.h>"),
    ("using namespace nvcuda;", 1, 17, "tensor cores (nvcuda::wmma)"),
    ("#include <cub/block/block_reduce.cuh>", 1, 10, "CUB, from <cub/block/block_reduce.cuh>"),
    ("#include <cute/tensor.hpp>", 1, 10, "CuTe, from <cute/tensor.hpp>"),
    ("#include <cuda/barrier>", 1, 10, "cuda::barrier, from <cuda/barrier>"),
    ("#include <cuda/pipeline>", 1, 10, "cuda::pipeline, from <cuda/pipeline>"),
    ("  cudaLaunchKernelEx(&c, k, x);", 1, 3, "launch attributes such as clusters"),
    ("__global__ void __cluster_dims__(2) k();", 1, 17, "thread block clusters"),
    (
        "MMA_Atom<SM80_16x8x16_F32F16F16F32_TN> m;",
        1,
        10,
        "the CuTe atom SM80_16x8x16_F32F16F16F32_TN",
    ),
    ("Copy_Atom<SM90_TMA_LOAD, float> c;", 1, 11, "the CuTe atom SM90_TMA_LOAD"),
]


@pytest.mark.parametrize(("text", "line", "column", "what"), NEEDS_A_GPU)
def test_needs_a_gpu(text: str, line: int, column: int, what: str, tmp_path: Path) -> None:
    with pytest.raises(TranslationError) as caught:
        translate(text, tmp_path)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert error.message.startswith(f"needs a GPU: {what}")
    assert str(error) == f"{tmp_path / 'file.cu'}:{line}:{column}: error: {error.message}"


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


def test_an_empty_asm_is_a_compiler_barrier_and_stays(tmp_path: Path) -> None:
    text = 'void f() { asm volatile("" ::: "memory"); }'
    assert translate(text, tmp_path).endswith(text)


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
