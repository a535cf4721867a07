"""Every written form of launches and shared declarations, compiled and run after translation
against a stand-in for the simulator that prints what it is asked."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from camp.simulator.translate import Translator
from camp.toolchain import find_cxx

FOLDER = Path(__file__).parent / "translate"


def run_translated(name: str, folder: Path) -> list[str]:
    """Translates, compiles with warnings as errors, runs; the lines it prints."""
    source, program = folder / "translated.cc", folder / "program"
    source.write_text(Translator(folder / "headers").translate(FOLDER / name))
    compiler = find_cxx()
    assert compiler is not None
    command = [str(compiler), "-std=c++17", "-O0", "-Wall", "-Werror"]
    command += ["-I", str(FOLDER), "-o", str(program), str(source)]
    subprocess.run(command, check=True, timeout=120)
    result = subprocess.run([program], check=True, capture_output=True, text=True, timeout=60)
    return result.stdout.splitlines()


LAUNCHES = """\
launch plain line 26 grid 1,1,1 block 2,1,1 shared 0 stream 0 arguments 0
ran plain
launch plain line 27 grid 1,1,1 block 2,1,1 shared 0 stream 0 arguments 0
ran plain
launch takes line 28 grid 1,2,3 block 4,1,1 shared 0 stream 0 arguments 2
ran takes 5 <<<1, 2>>>(
launch typed<float, 32> line 29 grid 2,1,1 block 128,1,1 shared 0 stream 0 arguments 2
ran typed 4 32 3
launch flag<(2 > 1)> line 30 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 1
ran flag 1
launch outer::inner::nested<short> line 31 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 1
ran nested 7
launch ::outer::inner::nested<int> line 32 grid 1,1,1 block 64,1,1 shared 0 stream 0 arguments 1
ran nested 8
launch ::plain line 33 grid 3,1,1 block 1,1,1 shared 0 stream 0 arguments 0
ran plain
launch pointer line 35 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 9 pointer
launch (*pointer) line 36 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 10 star
launch tables[1].kernel line 38 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 11 index
launch table->kernel line 39 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 12 arrow
launch typed< double, 8> line 40 grid 2,2,1 block 16,1,1 shared 48 stream 0 arguments 2
ran typed 8 8 47
launch plain line 48 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 0
ran plain
launch takes line 49 grid 2,2,1 block 128,1,1 shared 0 stream 0 arguments 2
ran takes 13 macro
launch flag<true> line 50 grid 1,1,1 block 128,1,1 shared 0 stream 0 arguments 1
ran flag 1
launch takes line 51 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 14 lambda
launch takes line 53 grid 1,1,1 block 1,1,1 shared 0 stream 0 arguments 2
ran takes 0 for
launch P::template run<3> line 20 grid 2,3,1 block 64,1,1 shared 16 stream 5 arguments 1
ran run 3 7
launch typed<T, P::block / 2> line 21 grid 1,1,1 block 1,1,1 shared 0 stream 5 arguments 2
ran typed 4 32 4
line 55
"""

SHARED = """\
shared tile line 17 bytes 160 alignment 0
shared one line 18 bytes 8 alignment 0
shared rows line 19 bytes 32 alignment 0
shared raw line 20 bytes 32 alignment 8
dynamic element 8 alignment 0
shared a line 26 bytes 128 alignment 0
shared b line 26 bytes 4 alignment 0
shared c line 27 bytes 4224 alignment 0
shared d line 28 bytes 8 alignment 0
shared e line 29 bytes 8 alignment 0
shared f line 30 bytes 4 alignment 0
shared g line 31 bytes 12 alignment 0
shared h line 32 bytes 16 alignment 0
shared i line 33 bytes 16 alignment 16
shared j line 34 bytes 16 alignment 16
shared k line 35 bytes 32 alignment 32
shared l line 36 bytes 16 alignment 16
shared m line 37 bytes 16 alignment 0
shared n line 37 bytes 16 alignment 0
shared o line 38 bytes 4 alignment 0
shared p line 39 bytes 24 alignment 0
shared q line 40 bytes 12 alignment 0
shared r line 41 bytes 16 alignment 0
shared s line 42 bytes 16 alignment 0
shared t line 43 bytes 8 alignment 0
shared u line 44 bytes 12 alignment 0
shared v line 45 bytes 8 alignment 0
shared w line 45 bytes 8 alignment 0
shared x line 46 bytes 3 alignment 64
shared y line 47 bytes 8 alignment 0
shared z line 48 bytes 5 alignment 0
dynamic element 4 alignment 0
dynamic element 1 alignment 16
dynamic element 32 alignment 0
dynamic element 4 alignment 0
dynamic element 4 alignment 0
"""
# What the last lines of `dynamic` ask of the two variables outside of functions.
OUTSIDE = {"dynamic element 4 alignment 0": 3, "dynamic element 1 alignment 16": 1}


def test_launches(tmp_path: Path) -> None:
    assert run_translated("launches.cu", tmp_path) == LAUNCHES.splitlines()


def test_shared_declarations(tmp_path: Path) -> None:
    expected = SHARED.splitlines()
    lines = run_translated("shared.cu", tmp_path)
    assert lines[: len(expected)] == expected
    assert lines[-1] == "line 67"
    outside = lines[len(expected) : -1]
    assert {line: outside.count(line) for line in outside} == OUTSIDE


# Lines that an edit reaches although no launch or __shared__ stands on them.
REACHED = {"launches.cu": {40, 41}, "shared.cu": {28, 29}}


@pytest.mark.parametrize("name", sorted(REACHED))
def test_no_line_moves_and_the_rest_stays(name: str) -> None:
    original = (FOLDER / name).read_text().splitlines()
    translated = Translator(Path("/unused")).translate(FOLDER / name).splitlines()
    assert translated[0] == f'#line 1 "{FOLDER / name}"'
    assert len(translated) == len(original) + 1
    for number, (before, after) in enumerate(zip(original, translated[1:], strict=True), 1):
        touched = any(
            mark in before for mark in ("<<<", ">>>", "__shared__", "__global__", "#include")
        )
        if not touched and number not in REACHED[name]:
            assert after == before, f"line {number}"
