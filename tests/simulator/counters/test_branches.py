"""test_branches: how many lanes take a way, in a program compiled for counting."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.simulator.blocks import active_lanes
from tests.simulator.counters.lines import marked_lines
from tests.simulator.harness import Outcome, compile_program, run_program

SOURCE = Path(__file__).parent / "branches.cu"
MARKS = marked_lines(SOURCE)

# Executions of the marked line by a warp, lanes of all of them, executions by all live lanes.
EXPECTED = {
    "even_lanes": (2, 32, 0),
    "even_warps": (1, 32, 1),
    "ramp": (62, 992, 0),
    "level": (62, 1984, 62),
    "early_exit": (2, 40, 1),
}


@pytest.fixture(scope="module")
def counted(sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("branches")
    outcome = run_program(compile_program(SOURCE, sim_runtime, folder, counted=True))
    assert outcome.code == 0, outcome.output
    return outcome


@pytest.mark.parametrize("kernel", sorted(EXPECTED))
def test_lanes_at_a_branch(counted: Outcome, kernel: str) -> None:
    [launch] = [each for each in counted.launches if each["kernel"] == kernel]
    assert (launch["warps"], launch["threads"]) == (2, 64)
    lanes = active_lanes(launch["branches"])
    [found] = [lanes[line] for line in lanes if MARKS.get(line[1]) == kernel]
    assert (found.executions, found.lanes, found.full_executions) == EXPECTED[kernel]


def test_a_plain_build_reports_no_branches(sim_runtime: Path, tmp_path: Path) -> None:
    outcome = run_program(compile_program(SOURCE, sim_runtime, tmp_path))
    assert outcome.code == 0, outcome.output
    assert [launch["branches"] for launch in outcome.launches] == [[]] * len(EXPECTED)
