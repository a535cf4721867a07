"""Program counters become lines of the original file, through #line and inlining."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from camp.simulator import symbolize as module
from camp.simulator.symbolize import symbolize
from camp.toolchain import find_cxx

FLAGS = ["-g1", "-gdwarf-4", "-O1", "-fPIC", "-shared"]  # as in ops/cmake/sim.cmake
SOURCE = """\
#line 40 "/learner/kernel.cuh"
static inline __attribute__((always_inline)) void *here() {
  return __builtin_extract_return_addr(({ __label__ l; l: &&l; }));
}
extern "C" __attribute__((noinline)) void *outer(void) {
  return here();
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("symbolize")
    source, output = folder / "translated.cc", folder / "lib.so"
    source.write_text(SOURCE)
    compiler = find_cxx()
    assert compiler is not None
    subprocess.run([compiler, *FLAGS, "-o", output, source], check=True, timeout=60)
    return output


def offset_of(library: Path) -> int:
    """Offset of `outer` from the first byte of the library, found by loading it."""
    loaded = ctypes.CDLL(str(library))
    address = ctypes.cast(loaded.outer, ctypes.c_void_p).value
    maps = Path("/proc/self/maps").read_text().splitlines()
    base = min(int(line.split("-")[0], 16) for line in maps if line.endswith(str(library)))
    assert address is not None
    return address - base


def test_names_the_original_line(library: Path) -> None:
    (place,) = symbolize([(library, offset_of(library))])
    assert place is not None
    assert place.file == "/learner/kernel.cuh"
    assert place.line in (41, 43, 44)  # the function's own line or what was inlined into it
    assert place.frames[-1].function == "outer"


def test_keeps_order_and_answers_none_for_the_unknown(library: Path) -> None:
    known = offset_of(library)
    places = symbolize(
        [(library, 0), (library, known), (Path("/no/such.so"), 16), (library, known)]
    )
    assert [place is not None for place in places] == [False, True, False, True]
    assert places[1] == places[3]


def test_without_any_tool_every_answer_is_none(
    library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert symbolize([(library, offset_of(library))]) == [None]


def test_llvm_symbolizer_answers_the_same(
    library: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    llvm = shutil.which("llvm-symbolizer")
    if llvm is None:
        pytest.skip("llvm-symbolizer is not installed")
    (expected,) = symbolize([(library, offset_of(library))])
    (tmp_path / "llvm-symbolizer").symlink_to(llvm)
    monkeypatch.setenv("PATH", str(tmp_path))  # only this one is found
    (place,) = symbolize([(library, offset_of(library))])
    assert place is not None
    assert expected is not None
    assert (place.file, place.line) == (expected.file, expected.line)


def test_skips_frames_of_the_simulators_headers() -> None:
    own = module._OWN_HEADERS + "include/camp_sim/memory.h"
    output = f"0x1f\n__ldg\n{own}:12\nkernel(int)\n/learner/kernel.cuh:7 (discriminator 2)\n"
    place = module.parse(output)[0x1F]
    assert (place.file, place.line, place.function) == ("/learner/kernel.cuh", 7, "kernel(int)")
    assert len(place.frames) == 2


def test_unknown_lines_are_no_place() -> None:
    assert module.parse("0x10\n??\n??:0\n0x20\nf\n??:?\n") == {}
