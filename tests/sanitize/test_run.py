"""The whole run of compute-sanitizer, with a program in its place and a runtime without a GPU."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.apart_plan import PlannedCase, PlannedTensor
from camp.grading.verdict import Verdict
from camp.sanitize.result import SanitizeResult, ToolRun
from camp.sanitize.run import MOST_RECORDS, Subject, run_tools
from tests.fake_tool import FakeTool

HEAD, TAIL = "========= COMPUTE-SANITIZER\n", "========= ERROR SUMMARY: 0 errors\n"
OUT_OF_BOUNDS = """\
========= Invalid __global__ read of size 4 bytes
=========     at scale_kernel(float *, const float *, long)+0xd0 in KERNEL:3
=========     by thread (232,0,0) in block (3,0,0)
=========     Access to %(x)#x is out of bounds
=========     and is 1 bytes after the nearest allocation
=========
"""


def case(name: str, **attributes: float) -> PlannedCase:
    values = b"\0\0\x80?" * 10
    tensors = (
        PlannedTensor("y", "f32", (10,), 40, (1,)),
        PlannedTensor("x", "f32", (10,), 40, (1,), shift_bytes=4, values=values),
    )
    return PlannedCase(name, tensors, attributes)


@pytest.fixture
def tool(tmp_path: Path) -> FakeTool:
    return FakeTool(tmp_path / "bin", "compute-sanitizer")


@pytest.fixture
def subject(fake_build: Callable[..., Path], tmp_path: Path) -> Subject:
    folder = fake_build(runtime={"FAKE_BACKEND": '"nvidia"'})
    kernel = tmp_path / "kernel.cuh"
    kernel.write_text("a\nb\n  y[i] = x[i] * factor;\nd\n")
    runtime, library = folder / "libcamp_runtime.so", folder / "libcamp_op_scale.so"
    return Subject("scale", kernel, runtime, library, [case("one"), case("two")])


def run(tool: FakeTool, subject: Subject, *tools: str, limit_s: float = 30.0) -> list[ToolRun]:
    return run_tools(tool.program, tools or ("memcheck",), subject, limit_s=limit_s)


def exit_code(runs: list[ToolRun]) -> int:
    return SanitizeResult("scale", "kernel.cuh", 1, 2, tuple(runs)).exit_code


def test_a_clean_kernel_is_clean_under_every_checker(tool: FakeTool, subject: Subject) -> None:
    tool.say(before=HEAD, after=TAIL)
    runs = run(tool, subject, "memcheck", "racecheck")
    assert [(r.tool, r.cases, r.clean) for r in runs] == [
        ("memcheck", 2, True),
        ("racecheck", 2, True),
    ]
    assert exit_code(runs) == 0
    assert {call[1] for call in tool.calls()} == {"memcheck", "racecheck"}


def test_a_finding_names_line_thread_tensor_and_case(tool: FakeTool, subject: Subject) -> None:
    record = OUT_OF_BOUNDS.replace("KERNEL", str(subject.kernel))
    tool.say(before=HEAD, after=TAIL, case="two", record=record + record)
    runs = run(tool, subject)
    (finding,) = runs[0].findings
    fault = finding.fault
    assert not runs[0].cut
    assert finding.case == "two"
    assert fault.message == "a thread reads x[10], but x has 10 elements"
    assert (fault.kind, fault.verdict, fault.count) == ("out_of_bounds", Verdict.OOB, 2)
    assert fault.location is not None
    assert (fault.location.file, fault.location.line) == (str(subject.kernel), 3)
    assert (fault.raw["thread"], fault.raw["block"]) == ([232, 0, 0], [3, 0, 0])
    assert exit_code(runs) == 1


def test_a_checker_that_stopped_reporting_is_told(tool: FakeTool, subject: Subject) -> None:
    record = OUT_OF_BOUNDS.replace("KERNEL", str(subject.kernel))
    tool.say(before=HEAD, after=TAIL, case="one", record=record * MOST_RECORDS)
    (run_,) = run(tool, subject)
    assert run_.cut
    assert run_.findings[0].fault.count == MOST_RECORDS


def test_a_launch_that_is_refused_is_told(tool: FakeTool, subject: Subject) -> None:
    tool.say(before=HEAD, after=TAIL)
    refused = case("refused", execute_status=10)
    runs = run(tool, Subject(**{**vars(subject), "cases": [refused, case("after")]}))
    assert runs[0].failure.startswith("case refused ended with LAUNCH_FAILED: execute was told")
    assert runs[0].cases == 2
    assert exit_code(runs) == 1


def test_after_a_fault_of_the_device_no_more_cases_run(tool: FakeTool, subject: Subject) -> None:
    tool.say(before=HEAD, after=TAIL)
    faulty = case("faulty", execute_status=11)
    runs = run(tool, Subject(**{**vars(subject), "cases": [faulty, case("after")]}))
    assert "KERNEL_FAULT" in runs[0].failure
    assert runs[0].cases == 1


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ({"before": HEAD, "kill_self": True}, "COMPUTE-SANITIZER"),
        ({"run_worker": False, "before": "\x00\xff garbage\n"}, "garbage"),
        ({"run_worker": False}, "exit code 3"),
        (
            {"run_worker": False, "before": HEAD + "========= Error: Device not supported\n"},
            "Device not supported",
        ),
    ],
)
def test_a_tool_that_fails_is_not_the_kernels_fault(
    tool: FakeTool, subject: Subject, behaviour: dict[str, object], words: str
) -> None:
    tool.say(**{"code": 3, **behaviour})
    runs = run(tool, subject)
    assert not runs[0].failure
    assert words in runs[0].trouble
    assert exit_code(runs) == 4


def test_a_finding_is_kept_when_the_tool_dies_after_it(tool: FakeTool, subject: Subject) -> None:
    record = OUT_OF_BOUNDS.replace("KERNEL", str(subject.kernel))
    tool.say(before=HEAD, case="one", record=record, code=1)
    assert len(run(tool, subject)[0].findings) == 1


def test_a_tool_that_hangs_is_stopped_with_all_it_started(tool: FakeTool, subject: Subject) -> None:
    tool.say(run_worker=False, sleep_s=71.25)
    started = time.monotonic()
    runs = run(tool, subject, limit_s=0.5)
    assert time.monotonic() - started < 20
    assert "no answer within 0.5 s" in runs[0].trouble
    assert not _sleepers()


def test_an_interrupt_leaves_no_process(
    tool: FakeTool, subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.say(run_worker=False, sleep_s=71.25)

    def interrupted(*_: object) -> None:
        deadline = time.monotonic() + 20
        while not _sleepers() and time.monotonic() < deadline:
            time.sleep(0.02)
        assert _sleepers()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tools(tool.program, ("memcheck", "racecheck"), subject, on_tool=interrupted)
    assert not _sleepers()


def _sleepers() -> list[str]:
    done = subprocess.run(
        ["pgrep", "-f", "sleep 71.25"], capture_output=True, text=True, check=False
    )
    return done.stdout.split()
