"""What the operators' libraries can do at all, by the functions that they call from elsewhere: none
of them allocates memory, or waits for the device, in an execute or anywhere else."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.spec import list_specs

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = [spec.id for spec in list_specs(ROOT)]

# Mangled or not: the simulator's CUDA functions are C++. A plain copy waits, an Async one does not.
FORBIDDEN = re.compile(
    r"^(_Z\d+)?(cuda(Malloc|Free|Host|\w+Synchronize|Memcpy(?!\w*Async)|Memset(?!\w*Async))\w*)"
    r"|^(malloc|calloc|realloc|aligned_alloc|_Zn[wa]\w+)(@|$)"
)


def imports(library: Path) -> list[str]:
    nm = shutil.which("nm")
    if nm is None:
        pytest.skip("no nm (binutils)")
    done = subprocess.run(
        [nm, "-D", "--undefined-only", str(library)], capture_output=True, text=True, check=True
    )
    return [line.split()[-1] for line in done.stdout.splitlines()]


def forbidden(library: Path) -> list[str]:
    return [name for name in imports(library) if FORBIDDEN.match(name)]


@pytest.mark.parametrize("op", OPERATORS)
def test_an_operator_can_only_launch(op: str, every_operator: Callable[[str], Path]) -> None:
    library = every_operator("sim") / f"libcamp_op_{op}.so"
    assert any("operator_execute" in name for name in imports(library))
    assert forbidden(library) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("return static_cast<int>(cudaGetLastError());", []),
        ("return static_cast<int>(cudaMemcpyAsync(p, p, 1, cudaMemcpyDefault, nullptr));", []),
        ("return static_cast<int>(cudaMalloc(&p, 1));", ["cudaMalloc"]),
        ("return static_cast<int>(cudaDeviceSynchronize());", ["cudaDeviceSynchronize"]),
        ("return static_cast<int>(cudaStreamSynchronize(nullptr));", ["cudaStreamSynchronize"]),
        ("return static_cast<int>(cudaMemcpy(p, p, 1, cudaMemcpyDefault));", ["cudaMemcpy"]),
        ("return *new int(reinterpret_cast<long>(p));", ["_Znwm"]),
        ("return *static_cast<int *>(malloc(4));", ["malloc"]),
    ],
)
def test_what_allocates_or_waits_is_found(tmp_path: Path, body: str, found: list[str]) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source, library = tmp_path / "one.cc", tmp_path / "one.so"
    source.write_text(
        "#include <cuda_runtime.h>\n#include <cstdlib>\n" + f"int f(void *p) {{ {body} }}\n"
    )
    include = ROOT / "native" / "sim" / "include"
    subprocess.run(
        [compiler, "-std=c++17", "-shared", "-fPIC", "-I", include, source, "-o", library],
        check=True,
    )
    assert len(forbidden(library)) == len(found)
    assert all(part in name for part, name in zip(found, forbidden(library), strict=True))
