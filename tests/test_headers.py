# test_headers.py: every public header compiles alone, as C11 and as C++17, without a warning.
from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "native" / "include"
C_HEADERS = sorted(INCLUDE.rglob("*.h"))
CPP_HEADERS = sorted(INCLUDE.rglob("*.hpp"))
OPERATORS = sorted(path.parent.name for path in (ROOT / "ops").glob("*/op.toml"))
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")


def name_of(header: Path) -> str:
    return header.relative_to(INCLUDE).as_posix()


def compile_source(source: str, language: str, standard: str) -> None:
    variable, default = ("CC", "cc") if language == "c" else ("CXX", "c++")
    compiler = shlex.split(os.environ.get(variable, default))
    assert shutil.which(compiler[0]), f"no compiler {compiler[0]}"
    flags = ("-x", language, f"-std={standard}", "-fsyntax-only", "-I", str(INCLUDE))
    result = subprocess.run(
        [*compiler, *flags, *WARNINGS, "-"],
        input=source,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 0, result.stdout


def test_the_list_of_headers_is_whole() -> None:
    names = {name_of(header) for header in C_HEADERS}
    core = {"status", "dtype", "tensor", "handle", "device", "operator", "simulator", "export"}
    assert {"operator_runtime.h", *(f"operator_runtime/{part}.h" for part in core)} <= names
    assert OPERATORS, "no operators found"
    assert {f"operator_runtime/ops/{op}.h" for op in OPERATORS} <= names
    assert CPP_HEADERS


def test_the_umbrella_has_every_header_that_all_libraries_have() -> None:
    text = (INCLUDE / "operator_runtime.h").read_text()
    # simulator.h is of the `sim` library alone; export.h comes with any other.
    left_out = {"simulator.h", "export.h"}
    for header in (INCLUDE / "operator_runtime").glob("*.h"):
        if header.name not in left_out:
            assert f'#include "operator_runtime/{header.name}"' in text, header.name


# Twice, so that an include guard that is missing or borrowed from another header shows.
@pytest.mark.parametrize("header", C_HEADERS, ids=name_of)
def test_a_header_compiles_alone_as_c11(header: Path) -> None:
    include = f'#include "{name_of(header)}"\n'
    compile_source(include * 2 + "extern int unit_is_not_empty;\n", "c", "c11")


@pytest.mark.parametrize("header", C_HEADERS + CPP_HEADERS, ids=name_of)
def test_a_header_compiles_alone_as_cpp17(header: Path) -> None:
    compile_source(f'#include "{name_of(header)}"\n' * 2, "c++", "c++17")


def test_include_guards_are_distinct() -> None:
    guards = [header.read_text().split("#ifndef ", 1)[1].split()[0] for header in C_HEADERS]
    assert len(set(guards)) == len(guards), sorted(guards)
