"""Reports call a kernel by its instantiation, not by the text of its launch."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from camp.kernel_names import kernel_name
from camp.simulator.translate import Translator
from camp.toolchain import find_nvcc
from tests.simulator.harness import compile_program, run_program

SOURCE = Path(__file__).parent / "programs" / "names.cu"

NAMES = {
    "deduced_kernel<3, float>",
    "deduced_kernel<3, __half>",
    "deduced_kernel<3, __nv_bfloat16>",
    "explicit_kernel<float, 4ul, (Mode)1, true>",
    "explicit_kernel<__half, 4ul, (Mode)1, true>",
    "explicit_kernel<__nv_bfloat16, 4ul, (Mode)1, true>",
    "functor_kernel<Double, int, long>",
    "outer::(anonymous namespace)::hidden_kernel",
    "plain_kernel",
    "pasted_kernel",
    "chosen_a",
    "chosen_b",
}


@pytest.fixture(scope="module")
def program(sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_program(SOURCE, sim_runtime, tmp_path_factory.mktemp("names"))


def test_launches_are_named_by_their_instantiation(program: Path) -> None:
    outcome = run_program(program)
    assert outcome.code == 0, outcome.output
    assert outcome.faults == []
    assert {launch["kernel"] for launch in outcome.launches} == NAMES
    assert all(launch["count"] == 1 for launch in outcome.launches)


def test_a_fault_is_too(program: Path) -> None:
    [fault] = run_program(program, "fault").faults
    assert fault["kernel"] == "deduced_kernel<7, float>"


def test_nvcc_has_the_same_names(root: Path, tmp_path: Path) -> None:
    """What ptxas says of a kernel finds the simulator's counts of it."""
    nvcc = find_nvcc()
    if nvcc is None:
        pytest.skip("no nvcc")
    command = [nvcc.path, "-std=c++17", "-arch=sm_90", "-cubin", "-Xptxas=-v", SOURCE]
    command += ["-I", root / "native" / "include", "-o", tmp_path / "names.cubin"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    lines = [line for line in done.stderr.splitlines() if "Compiling entry function" in line]
    assert {kernel_name(line.split("'")[1]) for line in lines} == {
        *NAMES,
        "deduced_kernel<7, float>",
    }


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z4copyIfLi4EEvPT_l", "copy<float, 4>"),
        ("_Z3addPfi", "add"),
        ("plain", "plain"),
        ("_Z1kIPFvfEEvT_", "k<void (*)(float)>"),
        ("_ZN1n12_GLOBAL__N_11kEPi", "n::(anonymous namespace)::k"),
        ("_Zbroken", "_Zbroken"),
        ("", ""),
    ],
)
def test_symbols(symbol: str, name: str) -> None:
    assert kernel_name(symbol) == name


BEGIN = " CAMP_SIM_KERNEL_BEGIN"


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *x) {@}",
        "template <typename T> __global__ void k(T x) {@ if (x) { return; } }",
        "__global__ __attribute__((used)) void k() {@}",
        "__global__ [[nodiscard]] std::enable_if_t<(2 > 1), void> k(float a[3]) noexcept {@}",
        "__global__ void NAME(softmax)(int n) {@}",
        "__global__ void k();\n__global__ void k() {@}",
        "__global__ void k(int n = int{3}) {@}",
        "#define KERNEL(name) __global__ void name(int *x) {@ *x = 1; }",
        "#define KERNEL __global__ void __launch_bounds__(64)\nKERNEL k(int *x) {@}",
        "#define KERNEL(name) __global__ void name\nKERNEL(k)(int *x) {@}",
        # nothing to name
        "#define KERNEL void\nKERNEL k(int *x) {}",
        "__global__ void k(int *x);",
        "template __global__ void k<float>(float *);",
        "extern template __global__ void k<float>(float *); struct S { int a; };",
        "#define GLOBAL __global__ void",
        "// __global__ void k() {}",
        "__global__ void k(int",
        "__global__",
        "void (*pointer)(int) = nullptr; void f() {}",
    ],
)
def test_where_a_kernel_begins(text: str, tmp_path: Path) -> None:
    (tmp_path / "file.cu").write_text(text.replace("@", ""))
    translated = Translator(tmp_path).translate(tmp_path / "file.cu")
    assert translated.partition("\n")[2] == text.replace("@", BEGIN)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("static __global__ void __launch_bounds__(256, 2) k() {@}", "(256, 2)"),
        ("__launch_bounds__(64) __global__ void k() {@}", "(64)"),
        ("template <int N> __global__ void __launch_bounds__(N / 4) k(int *x) {@}", "(N / 4)"),
        ("int a; __launch_bounds__(8) __global__ void k();\n__global__ void j() {@}", ""),
    ],
)
def test_launch_bounds_are_told_where_a_kernel_begins(
    text: str, bounds: str, tmp_path: Path
) -> None:
    (tmp_path / "file.cu").write_text(text.replace("@", ""))
    translated = Translator(tmp_path).translate(tmp_path / "file.cu")
    told = f"{BEGIN} CAMP_SIM_LAUNCH_BOUNDS{bounds}" if bounds else BEGIN
    assert translated.partition("\n")[2] == text.replace("@", told)
