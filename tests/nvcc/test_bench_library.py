"""test_bench_library: libcamp_bench.so and the CUB peers compile, load and refuse what they cannot
do, without a GPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from camp.bench import library
from camp.bench.library import BenchLibrary
from camp.bench.rig import DeviceArray
from camp.build import build_bench, configure
from camp.errors import DeviceError
from camp.toolchain import find_nvcc
from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
WITH_CUB = sorted(path.stem for path in (ROOT / "native" / "bench" / "cub").glob("*.cu"))

needs_nvcc = pytest.mark.skipif(find_nvcc() is None, reason="no nvcc found")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture
def workspace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """This clone, built elsewhere for one architecture, warnings being errors."""
    monkeypatch.setenv("BUILD_DIR", str(folder / "build"))
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", "90")
    monkeypatch.setenv("CAMP_WARNINGS_AS_ERRORS", "1")
    return Workspace(ROOT)


@pytest.mark.slow
@needs_nvcc
@pytest.mark.parametrize("op", WITH_CUB)
def test_the_libraries_of_an_operator_compile_and_load(workspace: Workspace, op: str) -> None:
    loaded = library.load(library.request_of(build_bench(workspace, op)))
    assert loaded.problems == {}
    assert loaded.bench is not None
    assert loaded.cub is not None


@pytest.mark.slow
@needs_nvcc
def test_what_cannot_be_moved_is_refused(workspace: Workspace) -> None:
    bench = BenchLibrary(build_bench(workspace, "softmax")["bench"])  # type: ignore[arg-type]
    bench.stream_through([0], [0], 0, 0, 0)  # nothing to move is done at once
    for reads, writes, size, geometry in (
        ([0], [0], 24, 0),  # no whole tiles
        ([0], [0], 0, 99),
        ([0], [0], 0, -1),
        ([], [], 16384, 0),
        ([0] * 8, [0], 16384, 0),
    ):
        with pytest.raises(DeviceError, match="invalid argument"):
            bench.stream_through(reads, writes, size, geometry, 0)


@pytest.mark.slow
@needs_nvcc
def test_cub_refuses_a_dtype_it_was_not_compiled_for(workspace: Workspace) -> None:
    cub = library.load(library.request_of(build_bench(workspace, "reduce_sum"))).cub
    assert cub is not None
    arrays = [DeviceArray(256, "i32", ()), DeviceArray(256, "i32", (8,))]
    with pytest.raises(DeviceError, match="not supported"):
        cub(arrays, [1, 8], [], 0, 0, 0)


@pytest.mark.slow
@needs_nvcc
def test_a_peer_that_does_not_compile_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with a toolkit that has no CUB."""
    clone = tmp_path / "clone"
    for name in ("ops", "native"):
        shutil.copytree(ROOT / name, clone / name)
    source = clone / "native" / "bench" / "cub" / "copy.cu"
    source.write_text("#include <cub/no_such_header.cuh>\n" + source.read_text())
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", "90")
    loaded = library.load(library.request_of(build_bench(Workspace(clone), "copy")))
    assert loaded.bench is not None
    assert loaded.cub is None
    assert "does not compile" in loaded.problems["cub"]
    assert "no_such_header.cuh" in loaded.problems["cub"]


def test_without_cuda_there_is_no_such_library(tmp_path: Path) -> None:
    """On the simulator nothing is configured that would need nvcc."""
    folder = configure(Workspace(ROOT), "sim")
    rules = (folder / "build.ninja").read_text(encoding="utf-8")
    assert "camp_op_copy" in rules
    assert "camp_bench" not in rules
