"""test_bench_times: what `camp bench`, `camp history` and `camp progress` show of times. The times
are made by hand: no device is needed, and each sentence has a time that calls for it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from camp.bench.history import Change, rows
from camp.bench.report import BenchReport, earned
from camp.bench.results import BenchResult, Outcome
from camp.cli import main
from camp.cli.bench_view import show_bench
from camp.cli.terminal import Terminal
from camp.errors import BuildError
from camp.progress import ProgressStore
from camp.spec import load_spec
from tests.made_results import ROOT, result, timed

Measured = Callable[[Mapping[str, float]], None]


def shown(made: BenchResult, width: int | None = None, **more: Any) -> str:
    """What is printed of a result on a terminal so wide; None: in a pipe."""
    terminal = Terminal(io.StringIO())
    terminal.width = width
    spec = load_spec(ROOT, made.op)
    judged = earned(made, spec, [case.case.name for case in made.cases])
    show_bench(terminal, BenchReport(made, spec, judged, **more))
    assert isinstance(terminal.stream, io.StringIO)
    return terminal.stream.getvalue()


def row(text: str, case: str) -> list[str]:
    """The cells of a case."""
    [line] = [line for line in text.splitlines() if line.startswith(case + "  ")]
    return line[len(case) :].split()


def test_a_row_holds_time_interval_throughput_shares_and_the_best_peer() -> None:
    text = shown(result("copy", {"2^24 f32": 80.0}))
    # 134217728 bytes at 80 % of 4000 GB/s: 41.94 us, 64 % of the datasheet's 5000.
    assert row(text, "2^24 f32") == [
        *("41.94", "[41.52", "42.36]", "3200", "80.0", "64"),
        *("1.250", "faster,", "cub", "62.91", "52.43"),
    ]
    assert "ceiling: the fastest copy of as many bytes" in text
    assert "datasheet 5000 GB/s" in text
    assert "host: 4.00 us to enqueue a prepared call, 3.50 us a bare launch" in text
    assert "at least 31 samples a case (10 stable)" in text
    assert "clocks: SM 1500 MHz before" in text
    assert "speed medal: silver: 80.0 % of the ceiling in the worst medal case, 2^24 f32" in text
    assert "gold from 97 % on" in text


def test_a_peer_within_noise_is_even_and_a_better_one_says_slower() -> None:
    made = result("copy", {})
    first, second, *others = made.cases
    assert first.kernel is not None
    assert second.kernel is not None
    first = replace(first, peers={"cub": timed(first.kernel.summary.median * 1.01)})
    second = replace(second, peers={"cub": timed(second.kernel.summary.median * 0.8)})
    text = shown(replace(made, cases=(first, second, *others)))
    assert row(text, first.case.name)[6:9] == ["1.010", "even,", "cub"]
    assert row(text, second.case.name)[6:9] == ["0.800", "slower,", "cub"]


@pytest.mark.parametrize("width", [50, 60, 80, 120])
@pytest.mark.parametrize("op", ["copy", "softmax"])
def test_columns_drop_until_the_table_fits(op: str, width: int) -> None:
    text = shown(result(op, {}), width)
    assert max(map(len, text.splitlines())) <= width
    heading = text.splitlines()[1]
    assert "% of ceiling" in heading
    assert "x best peer" in heading
    assert ("[p10 p90]" in heading) == (width == 120 or (op, width) == ("copy", 80))
    assert ("cub us" in heading) == (width == 120)


def test_what_is_no_measurement_is_told_and_not_in_the_table() -> None:
    made = result("copy", {})
    noisy = replace(made.cases[1], outcome=Outcome.TOO_NOISY, message="spreads over 27 %")
    text = shown(replace(made, cases=(made.cases[0], noisy, *made.cases[2:])))
    assert "2^24 f32: TOO NOISY: spreads over 27 %" in text
    assert not any(line.startswith("2^24 f32  ") for line in text.splitlines())
    assert "speed medal: none: no valid measurement of 2^24 f32 in this run" in text


def test_a_note_names_its_cases_unless_it_is_of_all() -> None:
    made = result("copy", {})
    of_all = tuple(replace(case, notes=("of all",)) for case in made.cases)
    text = shown(replace(made, cases=(replace(of_all[0], notes=("of all", "of one")), *of_all[1:])))
    assert "note: of all\n" in text
    assert "note: of one (2^20 f32)\n" in text


def test_hot_times_have_no_memory_throughput() -> None:
    made = result("copy", {})
    text = shown(replace(made, cases=tuple(replace(case, hot=True) for case in made.cases)))
    assert "GB/s" not in text.splitlines()[1]
    assert "hot: one buffer set, which caches may hold" in text
    assert "cold" not in text


def test_ceilings_of_several_kinds_are_named_case_by_case() -> None:
    made = result("copy", {})
    first = made.cases[0]
    read = replace(first, ceiling_kind="read", ceilings={"read": first.ceilings["copy"]})
    text = shown(replace(made, cases=(read, *made.cases[1:])))
    assert row(text, first.case.name)[5] == "read"
    assert row(text, "2^24 f32")[5] == "copy"
    assert "the fastest read, copy of as many bytes" in text


def test_changes_since_the_last_run_are_in_the_table_or_below_it() -> None:
    made = result("copy", {})
    [now] = [
        r
        for r in rows(made, made_at="t", kernel_hash="h", git_commit=None)
        if "24 f32" in r.case_name
    ]
    changes = {now.case_name: Change("faster", replace(now, median_us=50.0), now)}
    wide = shown(made, changes=changes)
    assert row(wide, "2^24 f32")[9:11] == ["50.00", "faster"]
    assert "since the last measurement: 1 faster" in wide
    assert "->" not in wide
    narrow = shown(made, 70, changes=changes)
    assert "2^24 f32: faster, 50.00 -> 37.28 us" in narrow


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Measured:
    """Makes `camp bench` give cases at these percents of their ceiling, in a workspace whose state
    is empty."""
    root = tmp_path / "clone"
    root.mkdir()
    for name in ("ops", "exercises", "camp", "tests", "pyproject.toml"):
        (root / name).symlink_to(ROOT / name)
    monkeypatch.chdir(root)
    monkeypatch.setattr("camp.workspace.Workspace.backend", lambda self, wanted=None: "nvidia")
    monkeypatch.setattr("camp.cli.bench_run.runtime_library", lambda *_: Path("runtime"))
    monkeypatch.setattr("camp.cli.bench_run.build_kernel", lambda *_: Path("library"))
    monkeypatch.setattr("camp.cli.bench_run.build_bench", lambda *_: {})

    def give(percents: Mapping[str, float]) -> None:
        def measure(workspace: Any, op: str, *_: Any, **options: Any) -> BenchResult:
            made = result(op, percents)
            names = options["case_names"]
            cases = [case for case in made.cases if not names or case.case.name in names]
            return replace(made, cases=tuple(cases))

        monkeypatch.setattr("camp.cli.bench_run.measure", measure)

    give({})
    return give


def test_a_second_run_is_held_against_the_first(
    measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--op", "relu"]) == 0
    assert "since the last" not in capsys.readouterr().out
    measured({"2^24 f32": 60.0})
    assert main(["bench", "--op", "relu"]) == 0
    assert "since the last measurement: 1 slower, 9 no change" in capsys.readouterr().out
    assert main(["history", "relu", "--case", "2^24 f32"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 4
    assert "37.28" in told[2]
    assert "55.92" in told[3]
    assert "slower" in told[3]
    assert main(["history", "relu", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["cases"]["2^24 f32"][1]["since_last"] == "slower"
    assert document["cases"]["2^24 f32"][1]["best_peer"] == "cub"


def test_another_kernel_file_is_measured_and_not_remembered(
    measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--op", "relu", "--solution", "--json"]) == 0
    [report] = json.loads(capsys.readouterr().out)["results"]
    assert (report["medal"]["medal"], report["medal"]["kept"]) == ("silver", False)
    assert report["cases"][0]["since_last"] is None
    assert main(["history", "relu"]) == 0
    assert "nothing is remembered yet" in capsys.readouterr().out


def test_all_operators_end_in_a_summary_and_one_that_does_not_build_stops_none(
    measured: Measured, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(workspace: Any, op: str, *_: Any) -> Path:
        if op == "copy":
            raise BuildError("the compiler refused it")
        return Path("library")

    monkeypatch.setattr("camp.cli.bench_run.build_kernel", build)
    assert main(["bench", "--op", "all", "--solution"]) == 3
    said = capsys.readouterr()
    summary = said.out[said.out.rindex("operator") :].splitlines()
    assert [line.split()[0] for line in summary[2:]] == [
        *("vector_add", "reduce_sum", "softmax", "relu"),
        "copy",
    ]
    assert "speed gold" in next(line for line in summary if line.startswith("reduce_sum"))
    assert "does not build" in summary[-1]
    assert "copy: the code does not compile" in said.err


def test_an_impossible_ceiling_is_a_fault_of_camp(
    measured: Measured, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def measure(workspace: Any, op: str, *_: Any, **__: Any) -> BenchResult:
        made = result(op, {})
        first = replace(made.cases[0], outcome=Outcome.INVALID_CEILING, message="110 % of it")
        return replace(made, cases=(first, *made.cases[1:]))

    monkeypatch.setattr("camp.cli.bench_run.measure", measure)
    assert main(["bench", "--op", "relu"]) == 70
    said = capsys.readouterr()
    assert "2^20 f32: INVALID CEILING: 110 % of it" in said.out
    assert said.err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["--case", "2^24 f3"], 2, "did you mean '2^24 f32'?"),
        (["--peer", "cubb"], 2, "there is no peer named 'cubb'"),
        (["--plot", "x.gif"], 2, "ends in .png or .svg"),
        (["--plot", "nowhere/x.png"], 4, "there is no folder nowhere"),
        (["--plot", "x.png", "--hot"], 2, "--hot says nothing of"),
    ],
)
def test_what_cannot_work_is_told_before_anything_is_built(
    arguments: list[str],
    code: int,
    sentence: str,
    measured: Measured,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def build(*_: Any) -> Path:
        raise AssertionError("built")

    monkeypatch.setattr("camp.cli.bench_run.build_kernel", build)
    assert main(["bench", "--op", "relu", *arguments]) == code
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--hot"], ["--peer", "torch"], ["--plot", "x.png"]])
def test_options_of_times_are_refused_on_the_simulator(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "--op", "relu", "--backend", "sim", *option]) == 2
    assert "the simulator says nothing of speed" in capsys.readouterr().err


def test_pictures_lie_where_they_were_asked_for(
    measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    few = ["--case", "2^20 f32", "--case", "2^24 f32"]
    assert main(["bench", "--op", "relu", *few, "--plot", "relu.svg"]) == 0
    assert "roofline: relu.svg\nhistory: relu-history.svg\n" in capsys.readouterr().err
    assert "relu on Test GPU" in Path("relu.svg").read_text()
    assert "2^20 f32" in Path("relu-history.svg").read_text()
    assert main(["history", "relu", "--plot", "again.png"]) == 0
    assert Path("again.png").read_bytes().startswith(b"\x89PNG")


def test_progress_shows_both_medals_and_of_which_version_they_are(
    measured: Measured, capsys: pytest.CaptureFixture[str]
) -> None:
    measured(dict.fromkeys(["2^24 f32", "2^28 f32", "2^28 bf16"], 98.0))
    assert main(["bench", "--op", "relu"]) == 0
    store = ProgressStore(Path(".camp"))
    [medal] = store.medals("relu")
    assert (medal.kind, medal.medal, medal.case_name) == ("speed", "gold", "2^24 f32")
    traffic = replace(medal, kind="traffic", medal="silver", percent=70.0, backend="sim")
    store.record_run([], [traffic, replace(medal, operator="copy", kernel_hash="older")])
    capsys.readouterr()
    assert main(["progress"]) == 0
    text = capsys.readouterr().out
    assert row(text, "relu")[3:7] == ["gold", "98", "%", "silver"]
    assert "gold 98 %, of an older version" in text
    assert main(["progress", "--json"]) == 0
    told = {row["operator"]: row for row in json.loads(capsys.readouterr().out)["operators"]}
    assert told["relu"]["medals"]["speed"]["of_this_version"] is True
    assert told["copy"]["medals"]["speed"]["of_this_version"] is False
    assert told["softmax"]["medals"] == {}


def test_a_worse_run_takes_no_medal_away_and_an_edit_does(measured: Measured) -> None:
    from camp.cli.progress import best_medal

    measured(dict.fromkeys(["2^24 f32", "2^28 f32", "2^28 bf16"], 98.0))
    assert main(["bench", "--op", "relu"]) == 0
    measured({"2^24 f32": 55.0})
    assert main(["bench", "--op", "relu"]) == 0
    earned = ProgressStore(Path(".camp")).medals("relu")
    assert [row.medal for row in earned] == ["gold", "bronze"]
    assert best_medal(earned, earned[0].kernel_hash).medal == "gold"
    newer = [*earned, replace(earned[1], kernel_hash="new")]
    assert best_medal(newer, "new").medal == "bronze"
    assert best_medal(newer, "newest").medal == "gold"
