"""test_kernels: naive kernels run on the simulator and get the advice that names their line, which
their twins do not get; the solutions get none at all."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from camp.build import build_variants
from camp.cli.counters_view import show_counters
from camp.cli.terminal import Terminal
from camp.counters.advice import Suggestion, suggest
from camp.counters.gpus import GPUS
from camp.counters.lines import lines
from camp.counters.model import Counters
from camp.exercises import solution_path
from camp.grading.check import runtime_library
from camp.grading.counting import case_to_count, count_case
from camp.grading.grader import Grader
from camp.grading.suite import load_cases
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

FOLDER = Path(__file__).resolve().parent / "kernels"
WS = Workspace.find(Path(__file__))
NAIVE = {op: FOLDER / f"{op}.cuh" for op in ("copy", "reduce_sum", "relu", "softmax")}
SOLUTIONS = {op: solution_path(WS.root, op) for op in ("copy", "reduce_sum", "softmax")}


@pytest.fixture(scope="module")
def counted() -> dict[Path, Counters]:
    """The case that each operator's counters are shown of, for every kernel file."""
    wanted = [*NAIVE.items(), *SOLUTIONS.items()]
    libraries = build_variants(WS, "sim", wanted, counted=True)
    found = {}
    for (op, kernel), library in libraries.items():
        assert isinstance(library, Path)
        [case] = [case for case in load_cases(WS.root, op) if case.traffic]
        with Grader(op, backend="sim", seed=3) as grader:
            grader.use(runtime_library(WS, "sim"), library, Symbols(library))
            counters = count_case(grader, case, kernel=kernel, root=WS.root, library=library)
        assert counters is not None, kernel
        found[kernel] = counters
    return found


def line_of(path: Path, mark: str) -> int:
    texts = path.read_text().splitlines()
    [number] = [n for n, text in enumerate(texts, start=1) if text.endswith(f"// {mark}")]
    return number


@pytest.mark.parametrize(
    ("op", "mark", "kernel", "rule", "text"),
    [
        ("copy", "strided", "strided_copy<unsigned int>", "scattered", "32 sectors where 4 hold"),
        ("copy", "shifted", "shifted_copy<unsigned int>", "misaligned", "5 sectors where 4 hold"),
        ("copy", "tiled", "tiled_copy<32, unsigned int>", "bank_conflict", "32-way bank conflict"),
        ("reduce_sum", "tree", "spread_tree_sum<float>", "divergence", "lanes run here on average"),
        ("reduce_sum", "tree", "spread_tree_sum<float>", "barriers", "9 barriers a block, with"),
        ("relu", "divergent", "divergent_relu<float>", "divergence", "of 32 lanes run here on"),
        (
            "softmax",
            "third",
            "three_pass_softmax<float>",
            "narrow",
            "a thread moves 4 bytes at a time (lines 17, 23 and 29)",
        ),
        (
            "softmax",
            "third",
            "three_pass_softmax<float>",
            "moved_again",
            "3.0 times the bytes of x are read (lines 17, 23 and 29)",
        ),
    ],
)
def test_the_advice_names_the_line(
    counted: dict[Path, Counters], op: str, mark: str, kernel: str, rule: str, text: str
) -> None:
    said = [s for s in suggestions(counted[NAIVE[op]]) if s.rule.name == rule]
    mine = [s.finding for s in said if s.finding.kernel == kernel]
    place = {(finding.place.file, finding.place.line) for finding in mine}
    assert (str(NAIVE[op]), line_of(NAIVE[op], mark)) in place
    assert any(text in finding.text for finding in mine), mine


@pytest.mark.parametrize(
    ("op", "twin", "rules"),
    [
        ("copy", "plain_copy<unsigned int>", {"scattered", "misaligned"}),
        ("copy", "tiled_copy<33, unsigned int>", {"bank_conflict", "scattered", "misaligned"}),
        ("reduce_sum", "shuffle_sum<float>", {"same_address", "divergence", "barriers"}),
        ("relu", "select_relu<float>", {"divergence"}),
        (
            "relu",
            "divergent_relu<float>",
            {"scattered", "misaligned"},
        ),  # the lanes' way, not theirs
    ],
)
def test_the_twin_gets_no_such_advice(
    counted: dict[Path, Counters], op: str, twin: str, rules: set[str]
) -> None:
    counters = counted[NAIVE[op]]
    assert twin in {kernel.name for kernel in counters.kernels}
    said = {s.rule.name for s in suggestions(counters) if s.finding.kernel == twin}
    assert not said & rules


@pytest.mark.parametrize("op", SOLUTIONS)
def test_a_solution_wastes_nothing(counted: dict[Path, Counters], op: str) -> None:
    counters = counted[SOLUTIONS[op]]
    assert suggestions(counters) == []
    assert counters.over_minimum == pytest.approx(1, abs=0.01)
    assert counters.has_branches
    assert all(line.waste < 0.05 for line in lines(counters))


def test_no_line_but_of_kernels_is_named(counted: dict[Path, Counters]) -> None:
    for counters in counted.values():
        files = {line.place.file for line in lines(counters)}
        assert counters.file in files
        assert all(Path(file).is_relative_to(WS.root) for file in files)
        source = Path(counters.file).read_text().splitlines()
        named = {line.place.line for line in lines(counters) if line.place.file == counters.file}
        assert [source[n - 1] for n in named if "<<<" in source[n - 1]] == []  # a launch is no code


def test_the_page_shows_what_is_shown(
    counted: dict[Path, Counters], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which other lines have code of their own depends on the compiler."""
    monkeypatch.chdir(WS.root)
    monkeypatch.delenv("CMAKE_CUDA_ARCHITECTURES", raising=False)
    stream = io.StringIO()
    terminal = Terminal(stream)
    terminal.width = 100
    show_counters(terminal, counted[NAIVE["softmax"]])
    page = (WS.root / "docs" / "counters.md").read_text(encoding="utf-8")
    example = page.split("```")[1].splitlines()
    matters = [line for line in example if re.search(r"^#|^three|see |softmax.cuh:|x min", line)]
    assert len(matters) > 8
    shown = stream.getvalue().splitlines()
    assert [line for line in matters if line not in shown] == []


def test_the_case_to_count_is_the_marked_one_or_the_largest() -> None:
    cases = load_cases(WS.root, "softmax")
    marked = case_to_count(cases, 1)
    assert marked is not None
    assert marked.id == "f32-rows=128-cols=1024"
    small = [case for case in cases if case.id in ("f32-rows=5-cols=7", "f32-rows=5-cols=1000")]
    assert len(small) == 2
    largest = case_to_count(small, 1)
    assert largest is not None
    assert (largest.id, largest.traffic) == ("f32-rows=5-cols=1000", True)
    assert case_to_count([case for case in cases if case.misuse], 1) is None


def suggestions(counters: Counters) -> list[Suggestion]:
    return suggest(counters, GPUS["9.0"])
