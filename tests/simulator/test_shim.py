"""test_shim: the CUDA headers of the simulator, against independent oracles and the GPU itself.

What each feature gives on a GPU is in conformance/.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from camp.toolchain import require_cxx
from tests.simulator.harness import FLAGS, ROOT, compile_program, run_program

HERE = Path(__file__).parent / "shim"
INCLUDE = ROOT / "native/sim/include"
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
PUBLIC_HEADERS = sorted(
    str(path.relative_to(INCLUDE))
    for path in INCLUDE.rglob("*.h")
    if path.name != "memcpy_async.h" and path.name != "whole_copy.h"
)
# By what they really are: c++ is often g++.
COMPILERS = sorted(
    {
        Path(path).resolve(): path
        for name in (str(require_cxx()), "g++", "clang++", "clang++-14")
        if (path := shutil.which(name))
    }.values()
)

# CUDA's programming guide: size and alignment of the built-in vector types on 64-bit Linux.
LAYOUTS = {
    "char": [(1, 1), (2, 2), (3, 1), (4, 4)],
    "uchar": [(1, 1), (2, 2), (3, 1), (4, 4)],
    "short": [(2, 2), (4, 4), (6, 2), (8, 8)],
    "ushort": [(2, 2), (4, 4), (6, 2), (8, 8)],
    "int": [(4, 4), (8, 8), (12, 4), (16, 16)],
    "uint": [(4, 4), (8, 8), (12, 4), (16, 16)],
    "long": [(8, 8), (16, 16), (24, 8), (32, 16)],
    "ulong": [(8, 8), (16, 16), (24, 8), (32, 16)],
    "longlong": [(8, 8), (16, 16), (24, 8), (32, 16)],
    "ulonglong": [(8, 8), (16, 16), (24, 8), (32, 16)],
    "float": [(4, 4), (8, 8), (12, 4), (16, 16)],
    "double": [(8, 8), (16, 16), (24, 8), (32, 16)],
}
SINGLE_LAYOUTS = {
    "dim3": (12, 4),
    "__half": (2, 2),
    "__half2": (4, 4),
    "__nv_bfloat16": (2, 2),
    "__nv_bfloat162": (4, 4),
}

# What each function of accesses.cc may touch: hooks of the instrumentation, in any order.
ACCESSES = {
    "read_float4": ["read16"],
    "read_float4_later": ["read16"],
    "read_int4": ["read16"],
    "read_float2": ["read8"],
    "read_double2": ["read16"],
    "read_uchar4": ["read4"],
    "read_ushort4": ["read8"],
    "read_half": ["read2"],
    "read_half_operator": ["read2"],
    "read_half2": ["read4"],
    "read_bf16": ["read2"],
    "read_bf162": ["read4"],
    "read_cast": ["read16"],
    "ldg_float": ["read4"],
    "ldg_float4": ["read16"],
    "ldcs_half2": ["read4"],
    "ldcg_char4": ["read4"],
    "write_float4": ["write16"],
    "write_make_float4": ["write16"],
    "write_braces": ["write16"],
    "write_zeros": ["write16"],
    "write_int4": ["write16"],
    "write_uchar4": ["write4"],
    "write_half": ["write2"],
    "write_half_from_float": ["write2"],
    "write_half2": ["write4"],
    "write_half2_made": ["write4"],
    "write_bf162": ["write4"],
    "stcs_float4": ["write16"],
    "stwt_half": ["write2"],
    "copy_float4": ["read16", "write16"],
    "copy_half2": ["read4", "write4"],
    "add_half2": ["read4", "read4", "write4"],
    "add_half_operator": ["read2", "read2", "write2"],
    "accumulate_half": ["read2", "read2", "write2"],
    "compare_half": ["read2", "read2", "read2", "read2"],
    "fma_half": ["read2", "write2"],
    "maximum": ["read4", "write4"],
}


def _flags(compiler: str) -> list[str]:
    """The flags of kernels for this compiler."""
    clang = "clang" in Path(compiler).name
    return [flag for flag in FLAGS if not (clang and flag == "-fno-tree-sra")]


def _build(compiler: str, source: Path, output: Path, *flags: str) -> Path:
    subprocess.run(
        [compiler, "-std=c++17", "-O1", *WARNINGS, f"-I{INCLUDE}", *flags, "-x", "c++",
         str(source), "-o", str(output)],
        check=True,
    )  # fmt: skip
    return output


@pytest.mark.slow
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda path: Path(path).name)
def test_headers_compile_alone(compiler: str, tmp_path: Path) -> None:
    """Each header, as the only include, without a warning, twice."""
    for header in PUBLIC_HEADERS:
        source = tmp_path / "alone.cc"
        source.write_text(f"#include <{header}>\n#include <{header}>\nint main() {{}}\n")
        done = subprocess.run(
            [compiler, "-std=c++17", *WARNINGS, f"-I{INCLUDE}", "-fsyntax-only", str(source)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{header}:\n{done.stderr}"


def test_asynchronous_group_copies_need_a_gpu(tmp_path: Path) -> None:
    source = tmp_path / "refused.cc"
    source.write_text("#include <cooperative_groups/memcpy_async.h>\n")
    done = subprocess.run(
        [str(require_cxx()), f"-I{INCLUDE}", "-fsyntax-only", str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "needs a GPU: cooperative_groups::memcpy_async" in done.stderr


@pytest.mark.parametrize(
    "call",
    [
        "cg::this_grid().sync();",
        "cg::this_cluster();",
        "cg::this_thread_block().barrier_arrive();",
    ],
)
def test_barriers_beyond_a_block_need_a_gpu(call: str, tmp_path: Path) -> None:
    source = tmp_path / "refused.cc"
    source.write_text(
        "#include <cooperative_groups.h>\n"
        "namespace cg = cooperative_groups;\n"
        f"void kernel() {{ {call} }}\n"
    )
    done = subprocess.run(
        [str(require_cxx()), "-std=c++17", "-O1", f"-I{INCLUDE}", "-c", str(source),
         "-o", str(tmp_path / "out.o")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert re.search(r"refused\.cc:3:\d+: error: .*needs a GPU: ", done.stderr)


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda path: Path(path).name)
def test_sizes_and_alignments(compiler: str, tmp_path: Path) -> None:
    program = _build(compiler, HERE / "layout.cc", tmp_path / "layout")
    printed = {}
    for line in subprocess.check_output([program], text=True).splitlines():
        name, size, alignment = line.split()
        printed[name] = (int(size), int(alignment))
    expected = {f"{name}{i + 1}": row[i] for name, row in LAYOUTS.items() for i in range(4)}
    assert printed == expected | SINGLE_LAYOUTS


@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda path: Path(path).name)
def test_an_access_is_one_hook_of_its_width(compiler: str, tmp_path: Path) -> None:
    assembly = tmp_path / "accesses.s"
    subprocess.run(
        [compiler, *_flags(compiler), *WARNINGS, f"-I{INCLUDE}", "-S", str(HERE / "accesses.cc"),
         "-o", str(assembly)],
        check=True,
    )  # fmt: skip
    text = re.sub(r"#.*", "", assembly.read_text())
    found = {}
    for name, body in re.findall(
        r"^([a-z]\w*):\s*\n(.*?)^\s*\.size\s+\1,", text, flags=re.MULTILINE | re.DOTALL
    ):
        calls = re.findall(r"(?:call\w*|jmp)\s+\*?(?:__tsan_)?((?:read|write|mem)\w*)", body)
        found[name] = sorted(calls)
    assert {name: found.get(name) for name in ACCESSES} == ACCESSES


def test_host_functions(sim_runtime: Path, tmp_path: Path) -> None:
    """One launch asks for more shared memory than its kernel opted in to, on purpose."""
    outcome = run_program(compile_program(HERE / "host_api.cu", sim_runtime, tmp_path))
    assert outcome.code == 0, outcome.output
    assert [fault["kind"] for fault in outcome.faults] == ["device_variable", "launch_limit"]


@pytest.mark.gpu
def test_host_functions_are_those_of_a_gpu(tmp_path: Path) -> None:
    program = tmp_path / "host_api"
    subprocess.run(
        ["nvcc", "-std=c++17", "-arch=native", str(HERE / "host_api.cu"), "-o", str(program)],
        check=True,
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
