"""test_compare_simulators: the speed comparison runs the right kernels and scales rightly."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Collection
from pathlib import Path

import numpy as np
import pytest

from camp.build import ensure_built
from camp.errors import CampError, UsageError
from camp.workspace import Workspace
from tests.compare_simulators import comparison, report
from tests.compare_simulators.__main__ import entrants
from tests.compare_simulators.measure import Cost, parse_cost, run
from tests.compare_simulators.oclgrind import Oclgrind, describe, dumped, without_start
from tests.compare_simulators.problems import GEMM, SOFTMAX, Array, Problem
from tests.compare_simulators.simulators import KERNELS, Camp, Numba, Simulator
from tests.simulator.harness import compile_program

TINY = [Problem("softmax", (3, 300)), Problem("gemm", (32, 48, 64))]


@pytest.fixture(scope="module")
def camp(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Camp:
    workspace = Workspace(root)
    ensure_built(workspace, "sim", ["relu"])
    runtime = workspace.library("sim", "camp_runtime")
    folder = tmp_path_factory.mktemp("programs")
    return Camp({p.name: compile_program(KERNELS / f"{p.name}.cu", runtime, folder) for p in TINY})


@pytest.mark.parametrize("problem", TINY, ids=lambda problem: problem.name)
def test_our_kernels_give_right_values(camp: Camp, problem: Problem, tmp_path: Path) -> None:
    inputs = problem.inputs()
    cost, output = camp.run(problem, inputs, {0}, tmp_path)
    assert problem.is_right(output, inputs)
    assert cost.cpu_s > 0
    assert cost.peak_bytes > 1 << 20


@pytest.mark.parametrize("problem", [SOFTMAX.some(2), GEMM.some(2)], ids=lambda p: p.name)
def test_the_accesses_are_those_that_the_simulator_counts(
    camp: Camp, problem: Problem, tmp_path: Path
) -> None:
    names = [str(tmp_path / f"{number}.bin") for number in range(len(problem.inputs()) + 1)]
    for array, name in zip(problem.inputs(), names, strict=False):
        array.tofile(name)
    sizes = [str(size) for size in problem.sizes]
    output = run([camp.programs[problem.name], *names, "1", *sizes], {0}, folder=tmp_path).output
    (launch,) = json.loads(output.splitlines()[1])["launches"]
    assert launch["block"] == [*problem.block, 1]
    assert launch["grid"] == [*problem.grid, 1]
    assert sum(site["lanes"] for site in launch["sites"]) == problem.accesses


@pytest.mark.parametrize("peer", [Oclgrind("all", "--data-races", "--uninitialized"), Numba()])
@pytest.mark.parametrize("problem", [SOFTMAX.some(3), GEMM.some(3)], ids=lambda p: p.name)
def test_a_peer_that_is_installed_gives_right_values(
    peer: Simulator, problem: Problem, tmp_path: Path
) -> None:
    if install := peer.missing():
        pytest.skip(f"not installed: {install}")
    inputs = problem.inputs()
    _, output = peer.run(problem, inputs, {0}, tmp_path)
    assert problem.is_right(output, inputs)


def test_a_peer_that_is_not_installed_is_skipped_with_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    here = entrants(Camp({}), "quick")
    assert [entrant.simulator.name for entrant in here] == ["Camp"]
    told = capsys.readouterr().err
    assert "Oclgrind (all): skipped, not installed: `sudo apt install oclgrind`" in told
    assert "Numba (none): skipped, not installed: `pip install numba`" in told


def test_a_wrong_value_is_seen() -> None:
    problem = Problem("gemm", (16, 16, 16))
    a, b = problem.inputs()
    right = (a.astype(np.float64) @ b).astype(np.float32)
    assert problem.is_right(right, [a, b])
    right[3, 4] += 0.01
    assert not problem.is_right(right, [a, b])
    rows = Problem("softmax", (2, 4))
    assert rows.is_right(np.full((2, 4), 0.25, np.float32), [np.ones((2, 4), np.float32)])
    assert not rows.is_right(np.full((2, 4), 0.24, np.float32), [np.ones((2, 4), np.float32)])


def test_a_part_has_the_blocks_asked_for() -> None:
    for problem in (SOFTMAX, GEMM):
        assert problem.some(5).blocks == 5
        assert problem.some(problem.blocks) is problem
        assert problem.accesses == problem.some(1).accesses * problem.blocks
    assert SOFTMAX.accesses == 27_238_400
    assert GEMM.accesses == 37_814_272


class Fixed:
    """Takes two seconds a block and fills the output with one value."""

    name, checks = "Fixed", "none"

    def __init__(self, value: float) -> None:
        self.value = value

    def missing(self) -> str | None:
        return None

    def version(self) -> str:
        return "Fixed 1"

    def run(
        self, problem: Problem, inputs: list[Array], cores: Collection[int], folder: Path
    ) -> tuple[Cost, Array]:
        output = np.full(problem.output_shape, self.value, np.float32)
        return Cost(2.0 * problem.blocks, 1.0 * problem.blocks), output


def test_a_part_is_scaled_to_the_whole(tmp_path: Path) -> None:
    flat = Problem("softmax", (8, 1))  # a row of one column: its softmax is 1
    cost, blocks = comparison.run_part(
        comparison.Entrant(Fixed(1.0), {"softmax": 2}), flat, {0}, tmp_path
    )
    assert (blocks, cost) == (2, Cost(16.0, 8.0))
    with pytest.raises(CampError, match="Fixed computes wrong values of softmax"):
        comparison.run_part(comparison.Entrant(Fixed(0.9), {"softmax": 2}), flat, {0}, tmp_path)


def test_a_round_is_the_median_of_its_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    times = iter([3.0, 1.0, 2.0] * 4)  # three runs in each of two rounds of two problems

    def part(entrant: object, problem: Problem, cores: object, folder: Path) -> tuple[Cost, int]:
        cpu_s = next(times)
        return Cost(10 * cpu_s, cpu_s), 7

    monkeypatch.setattr(comparison, "run_part", part)
    entrant = comparison.Entrant(Fixed(0.0), {}, repeats=3)
    measured = comparison.compare([entrant], 2, {0}, tmp_path, lambda text: None)
    assert [row.problem.name for row in measured] == ["softmax", "gemm"]
    assert all(row.costs == (Cost(20.0, 2.0), Cost(20.0, 2.0)) for row in measured)
    assert next(times, None) is None
    assert [row.blocks_run for row in measured] == [7, 7]


def test_the_start_of_oclgrind_is_taken_off() -> None:
    # A start of 1 s and 0.5 s a block.
    assert without_start(Cost(6.0, 6.0), Cost(2.0, 2.0), 10) == Cost(5.0, 5.0)
    with pytest.raises(ValueError, match="more than two"):
        without_start(Cost(2.0, 2.0), Cost(2.0, 2.0), 2)


def test_oclgrind_is_told_the_problem_and_its_output_read() -> None:
    problem = Problem("gemm", (16, 32, 16))
    text = describe(problem, problem.inputs()).splitlines()
    assert text[1:5] == ["gemm_kernel", "32 16 1", "16 16 1", "<size=2048 float fill=0 dump>"]
    assert text[-4:] == ["<size=4 int>", "32", "<size=4 int>", "16"]
    assert len(text) == 5 + (1 + 16 * 16) + (1 + 16 * 32) + 4
    printed = "\nArgument 'y': 16 bytes\n  y[0] = 1\n  y[1] = 2.5\n  y[2] = -3e-05\n  y[3] = 4\n"
    small = Problem("softmax", (2, 2))
    assert dumped(printed, small).tolist() == np.float32([[1, 2.5], [-3e-05, 4]]).tolist()
    with pytest.raises(CampError, match="3 values instead of 4"):
        dumped(printed.replace("  y[3] = 4\n", ""), small)


def test_the_cost_line_is_read() -> None:
    assert parse_cost('{"wall_s": 1.5, "cpu_s": 1.25}') == Cost(1.5, 1.25)
    line = '{"wall_s": 1.5, "cpu_s": 1.25, "waited_s": 0.5, "peak_kilobytes": 3}'
    assert parse_cost(line) == Cost(1.5, 1.25, 0.5, 3072)


def test_a_program_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(CampError, match=r"sh ended with 3: no luck"):
        run(["sh", "-c", "echo no luck >&2; exit 3"], {0}, folder=tmp_path)


@pytest.mark.parametrize(
    ("cores", "counts"), [(1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (8, [1, 2, 4, 8])]
)
def test_the_numbers_of_cores(cores: int, counts: list[int]) -> None:
    assert comparison.core_counts(cores) == counts


def rows() -> list[comparison.Row]:
    """Softmax at 0.9 s of ours, Oclgrind 99 times that, Numba 1200 times; gemm at 0.9 s."""
    one = Cost(1.0, 0.9)
    return [
        comparison.Row(SOFTMAX, "Camp", "all, and counts", 4096, (one, one)),
        comparison.Row(SOFTMAX, "Oclgrind", "all", 66, (one.times(99), one.times(99))),
        comparison.Row(SOFTMAX, "Numba", "none", 4, (one.times(1200), one.times(1200))),
        comparison.Row(GEMM, "Camp", "all, and counts", 256, (one, one)),
    ]


def test_ratios_are_of_the_same_round() -> None:
    slow_spell = (Cost(1.0, 1.0), Cost(9.0, 5.0), Cost(1.0, 1.0))
    theirs = tuple(Cost(2 * cost.wall_s, 3 * cost.cpu_s) for cost in slow_spell)
    ours = comparison.Row(SOFTMAX, "Camp", "all", 1, slow_spell)
    other = comparison.Row(SOFTMAX, "Numba", "none", 1, theirs)
    assert other.times_slower(ours) == pytest.approx(3)
    assert other.times_slower(ours, by_clock=True) == pytest.approx(2)
    assert ours.cost == Cost(1.0, 1.0)


def test_goals_are_told_as_reached_or_not() -> None:
    scaling = [
        comparison.Scaling(SOFTMAX, 1, Cost(1.0, 1.0)),
        comparison.Scaling(SOFTMAX, 2, Cost(0.55, 1.1)),
        comparison.Scaling(GEMM, 1, Cost(1.0, 1.0)),
        comparison.Scaling(GEMM, 2, Cost(0.9, 1.8)),
    ]
    cells = report.goals_table(rows(), scaling, 8.04).rows
    assert [row[-1] for row in cells] == ["yes", "no", "no", "yes", "yes", "no", "yes"]
    assert report.goals_table(rows(), scaling, 8.06).rows[-1][-1] == "no"
    assert len(report.goals_table([rows()[0], rows()[3]], [], 8.0).rows) == 3


def test_busy_cores_are_no_measure_of_sharing_the_work() -> None:
    def reached(one: Cost, two: Cost) -> str:
        scaling = [comparison.Scaling(GEMM, 1, one), comparison.Scaling(GEMM, 2, two)]
        return report.goals_table([rows()[0], rows()[3]], scaling, 8.0).rows[2][-1]

    assert reached(Cost(1.0, 1.0, 0.04), Cost(0.6, 1.1, 0.04)) == "yes"
    assert reached(Cost(1.0, 1.0, 0.04), Cost(0.9, 1.1, 0.04)) == "no"
    assert reached(Cost(1.0, 1.0, 0.04), Cost(0.9, 1.1, 0.7)).startswith("not judged")
    # One core measured too slow makes two look good.
    assert reached(Cost(4.0, 1.0, 3.0), Cost(0.9, 1.1, 0.04)).startswith("not judged")


def test_the_scaling_is_against_one_core_of_the_same_kernel() -> None:
    scaling = [
        comparison.Scaling(SOFTMAX, 1, Cost(2.0, 2.0)),
        comparison.Scaling(GEMM, 1, Cost(1.0, 1.0)),
        comparison.Scaling(SOFTMAX, 4, Cost(0.8, 2.4, 0.1)),
    ]
    assert report.scaling_table(scaling).rows == [
        ("softmax", "1", "2.00", "2.00", "0.00", "1.00"),
        ("gemm", "1", "1.00", "1.00", "0.00", "1.00"),
        ("softmax", "4", "0.80", "2.40", "0.10", "2.50"),
    ]


def test_the_table_says_what_ran_in_part() -> None:
    table = report.comparison_table(rows(), 1)
    assert [row[3] for row in table.rows] == ["all", "66 of 4096", "4 of 4096", "all"]
    assert [row[-1] for row in table.rows] == ["1.00", "99.0", "1,200", "1.00"]
    assert table.rows[0][:2] == ("softmax 4096x1024", "Camp")


def test_a_page_keeps_all_but_the_part_between_its_markers() -> None:
    page = f"# Speed\n\n{report.BEGIN}\nold\n{report.END}\n\nMore.\n"
    table = report.Table("Goals:", ("goal", "measured"), [("one", "2")], 1)
    expected = "Goals:\n\n| goal | measured |\n| --- | ---: |\n| one | 2 |"
    assert report.page_with(page, table.markdown()) == page.replace("old", expected)
    with pytest.raises(UsageError, match="lacks the lines"):
        report.page_with("# Speed\n", "new")


@pytest.mark.parametrize(
    ("value", "text"), [(1234.5, "1,234"), (99.94, "99.9"), (10.0, "10.0"), (0.946, "0.95")]
)
def test_three_digits(value: float, text: str) -> None:
    assert report.digits(value) == text
