"""test_library: which libraries a worker loads, and what it says of those it cannot load."""

from __future__ import annotations

import re
from pathlib import Path

from camp.bench.library import DTYPES, MAX_ARRAYS, TILE_BYTES, load, request_of
from camp.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]


def test_dtypes_are_those_of_the_c_header() -> None:
    header = ROOT / "native" / "include" / "operator_runtime" / "dtype.h"
    found = re.findall(r"CAMP_DTYPE_(\w+) = (\d+)", header.read_text(encoding="utf-8"))
    assert {name.lower(): int(value) for name, value in found} == DTYPES


def test_constants_are_those_of_the_c_header() -> None:
    header = (ROOT / "native" / "bench" / "camp_bench.h").read_text(encoding="utf-8")
    found = dict(re.findall(r"#define CAMP_BENCH_(\w+) (\d+)", header))
    assert found == {"MAX_ARRAYS": str(MAX_ARRAYS), "TILE_BYTES": str(TILE_BYTES)}


def test_nothing_built_is_nothing_loaded() -> None:
    loaded = load({})
    assert (loaded.bench, loaded.cub, loaded.problems) == (None, None, {})


def test_what_does_not_compile_is_a_problem_of_that_library() -> None:
    request = request_of({"cub": BuildError("copy.cu:2:10: error: no cub/cub.cuh")})
    loaded = load(request)
    assert loaded.cub is None
    assert loaded.problems == {"cub": "it does not compile: copy.cu:2:10: error: no cub/cub.cuh"}


def test_what_does_not_load_is_a_problem_too(tmp_path: Path) -> None:
    path = tmp_path / "libcamp_bench.so"
    path.write_bytes(b"no library")
    loaded = load(request_of({"bench": path}))
    assert loaded.bench is None
    assert loaded.problems["bench"].startswith(f"{path} cannot be loaded: ")


def test_another_library_is_refused() -> None:
    """One that loads, but has none of the functions."""
    loaded = load(request_of({"bench": Path("libm.so.6")}))
    assert loaded.bench is None
    assert "camp_bench_error" in loaded.problems["bench"]
