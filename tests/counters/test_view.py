"""test_view: counters as a person sees them: wide, narrow, in a pipe, in colour."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from camp.cli.counters_view import show_counters, show_counters_of_check
from camp.cli.terminal import Terminal
from camp.counters.model import Counters
from camp.counters.read import read_counters
from camp.grading.result import CheckResult
from camp.grading.verdict import Verdict

from .reports import FILE, TENSORS, branch, coalesced, launch, shared, site

SOURCE = """\
#pragma once

__global__ void k(float *y, const float *x) {
\tconst int i = threadIdx.x;
  tile[i] = x[i * 32];
  __syncthreads();  // LONG
  y[i] = tile[i * 32];
}
""".replace("LONG", "a comment beyond the edge of every screen here " * 3)


@pytest.fixture
def counters(tmp_path: Path) -> Counters:
    """Line 5 is scattered, line 7 has conflicts, half of the lanes skip line 4."""
    path = tmp_path / "kernel.cuh"
    path.write_text(SOURCE)
    report = launch(
        site("global_load", 5, 32, sectors=1024, ideal_sectors=128),
        shared("shared_store", 5, 32),
        shared("shared_load", 7, 32, ways=32),
        coalesced("global_store", 7, 32),
        branches=[branch(4, 32, 16), branch(5, 32, 32), branch(7, 32, 32)],
    )
    report = json.loads(json.dumps(report).replace(FILE, str(path)))
    found = read_counters([report], "n=1024", TENSORS, kernel=path)
    assert found is not None
    return found


def shown(counters: Counters, width: int | None, *, color: bool = False) -> str:
    stream = io.StringIO()
    terminal = Terminal(stream)
    terminal.width, terminal.color = width, color
    show_counters(terminal, counters)
    return stream.getvalue()


def plain(text: str) -> str:
    return re.sub(r"\033\[[0-9;]*m", "", text)


def line_with(text: str, part: str) -> str:
    [line] = [line for line in text.splitlines() if part in line]
    return line


def test_a_pipe_gets_whole_lines_without_colour(counters: Counters) -> None:
    text = shown(counters, None)
    assert "\033" not in text
    assert SOURCE.splitlines()[5] in text
    header = line_with(text, "heat ")
    assert header.split() == ["heat", "sectors", "wavefronts", "lanes", "x", "min"]
    assert line_with(text, "5 |   tile").split()[:5] == [
        *("####", "32.0/4.0", "1.0/1.0", "32.0/32", "4.00")
    ]
    assert line_with(text, "7 |   y[i]").split()[:4] == ["####", "4.0/4.0", "32.0/1.0", "32.0/32"]
    assert line_with(text, "4 |     const").split()[:2] == ["###", "16.0/32"]


def test_the_table_has_each_ideal_beside_its_value(counters: Counters) -> None:
    row = line_with(shown(counters, None), "k<float>  ")
    assert row.split() == [
        *("k<float>", "8", "128", "128", "18.0/4.0", "16.5/1.0", "26.7/32", "4.50", "100%")
    ]


@pytest.mark.parametrize("width", [50, 80, 109, 120, 200])
def test_nothing_is_wider_than_the_terminal(counters: Counters, width: int) -> None:
    """Long words, such as a path, may stand over: nothing of them is cut off."""
    for line in shown(counters, width).splitlines():
        assert len(line) <= width or str(Path(counters.file).parent) in line, line


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_long_line_is_cut_with_a_mark_and_keeps_its_number(
    counters: Counters, width: int
) -> None:
    line = line_with(shown(counters, width), "6 |   __sync")
    assert line.endswith("…")
    assert len(line) == width


def test_a_narrow_terminal_has_the_values_below_their_line(counters: Counters) -> None:
    lines = shown(counters, 50).splitlines()
    [number] = [n for n, line in enumerate(lines) if "5 |   tile" in line]
    assert lines[number].startswith("####")
    below = " ".join(line.strip() for line in lines[number + 1 : number + 3])
    assert "sectors 32.0/4.0" in below
    assert "lanes 32.0/32" in below
    assert "  sectors      18.0/4.0" in lines


@pytest.mark.parametrize("width", [50, 80, 120])
def test_colour_changes_no_character(counters: Counters, width: int) -> None:
    painted = shown(counters, width, color=True)
    assert "\033[" in painted
    assert plain(painted) == shown(counters, width)


def test_more_waste_is_painted_hotter(counters: Counters) -> None:
    painted = shown(counters, 120, color=True)
    assert line_with(painted, "tile[i] = x").startswith("\033[31;1m####")
    assert line_with(painted, "const int i").startswith("\033[31m### ")
    assert "\033[31m32.0/4.0" in painted
    assert "\033[31m   1.0/1.0" not in painted


def test_control_characters_of_a_source_do_not_reach_the_terminal(counters: Counters) -> None:
    path = Path(counters.file)
    path.write_text(path.read_text().replace("tile[i] = x", "tile[i]\033[2J = x"))
    assert "\033" not in shown(counters, None)


def test_a_source_that_is_gone_still_has_its_numbers(counters: Counters) -> None:
    Path(counters.file).unlink()
    assert line_with(shown(counters, None), " 5 |").split()[0] == "####"


def test_without_branches_it_says_whose_lanes_are_shown(counters: Counters) -> None:
    kernels = tuple(replace(kernel, branches=()) for kernel in counters.kernels)
    text = shown(replace(counters, kernels=kernels, has_branches=False), None)
    assert "lanes are those of memory requests" in text
    assert "lanes are those of memory" not in shown(counters, None)


@pytest.mark.parametrize(
    ("result", "sentence"),
    [
        (
            CheckResult("copy", "nvidia", "k.cuh", Verdict.PASS, 1),
            "counters: they come from the simulator: `camp check copy --counters --backend sim`",
        ),
        (
            CheckResult("copy", "sim", "k.cuh", Verdict.WRONG, 1),
            "counters: they are of a kernel that passes",
        ),
        (
            CheckResult("copy", "sim", "k.cuh", Verdict.PASS, 1),
            "counters: there is no case to count",
        ),
    ],
)
def test_where_there_are_none_a_sentence_says_why(result: CheckResult, sentence: str) -> None:
    stream = io.StringIO()
    show_counters_of_check(Terminal(stream), result)
    assert sentence in stream.getvalue()
    assert len(stream.getvalue().splitlines()) == 1
