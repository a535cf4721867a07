"""Records of compute-sanitizer as the simulator's faults: kinds, sentences, places, folding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from camp.apart_plan import PlannedCase, PlannedTensor
from camp.grading.faults import Fault
from camp.grading.verdict import Verdict
from camp.sanitize.findings import faults_of
from camp.sanitize.report import CaseRun, Frame, Record, Side, read_output

RECORDED = Path(__file__).parent / "recorded"
X, Y = 0x10000, 0x20000
CASE = PlannedCase(
    "a",
    (
        PlannedTensor("y", "f32", (10,), 40),
        PlannedTensor("x", "f16", (20,), 40, values=b"\0" * 40),
    ),
)
RUN = CaseRun("a", {"x": (X, 40), "y": (Y, 40), "workspace": (0, 0)})


def faults(*records: Record, kernel: str = "k.cuh") -> list[Fault]:
    found = faults_of(records, {"a": CASE}, {"a": RUN}, Path(kernel))
    return [fault for _, fault in found]


def recorded(tool: str, kernel: str) -> Fault:
    """The fault of one kernel of faults.cu."""
    output = read_output((RECORDED / f"{tool}.txt").read_text(), "@mark")
    records = [r for r in output.records if r.side.frames[-1].function.startswith(f"{kernel}(")]
    (fault,) = faults(*records, kernel="faults.cu")
    assert fault.count == len(records) > 0
    return fault


@pytest.mark.parametrize(
    ("tool", "kernel", "kind", "verdict", "line", "words"),
    [
        ("memcheck", "oob_read", "out_of_bounds", Verdict.OOB, 7, "reads memory that belongs"),
        ("memcheck", "oob_atomic", "out_of_bounds", Verdict.OOB, 15, "atomically updates memory"),
        ("memcheck", "oob_shared", "out_of_bounds", Verdict.OOB, 24, "block's shared memory"),
        ("memcheck", "null_write", "null_pointer", Verdict.OOB, 21, "writes through a null"),
        ("memcheck", "misaligned", "misaligned", Verdict.MISALIGNED, 18, "8 bytes at an address"),
        ("racecheck", "race_raw", "race", Verdict.RACE, 37, "which a thread of another warp wrote"),
        ("initcheck", "uninit_global", "uninitialised_read", Verdict.UNINIT, 55, "before anything"),
        ("synccheck", "bar_divergent", "divergent_barrier", Verdict.SYNC, 64, "its warp do not"),
    ],
)
def test_what_was_recorded_becomes_a_fault(
    tool: str, kernel: str, kind: str, verdict: Verdict, line: int, words: str
) -> None:
    fault = recorded(tool, kernel)
    assert (fault.kind, fault.verdict, fault.is_error) == (kind, verdict, True)
    assert words in fault.message
    assert fault.advice
    assert fault.location is not None
    # Of an atomic the line of the kernel, not that of NVIDIA's header which it was inlined from.
    assert (fault.location.file, fault.location.line) == ("faults.cu", line)


def test_a_race_keeps_the_earlier_access() -> None:
    fault = recorded("racecheck", "race_raw")
    assert fault.other_location is not None
    assert fault.other_location.line == 36
    assert fault.raw["other_thread"] == [191, 0, 0]
    assert fault.raw["thread"] == [64, 0, 0]


def access(address: int, kind: str = "read", case: str = "a", line: int = 3) -> Record:
    side = Side((Frame("k", "k.cuh", line),), kind, (1, 0, 0))
    return Record("out_of_bounds", "", side, (0, 0, 0), None, "global", address, 2, case=case)


def test_the_tensor_is_the_nearest_that_can_be_accessed_so() -> None:
    assert faults(access(X + 40))[0].message == "a thread reads x[20], but x has 20 elements"
    assert "reads x[-1], but x" in faults(access(X - 2))[0].message
    assert "negative" in faults(access(X - 2))[0].advice
    # A write is never to an input, however near.
    assert "writes y[-16382], but y" in faults(access(X + 8, "write"))[0].message


@pytest.mark.parametrize(
    "record", [access(1 << 40), access(X + 40, case="")], ids=["far away", "no case"]
)
def test_an_address_of_nothing_names_no_tensor(record: Record) -> None:
    (fault,) = faults(record)
    assert "belongs to no tensor" in fault.message
    assert "tensor" not in fault.raw


def test_alike_findings_are_one_with_its_count_and_others_are_not() -> None:
    found = faults(access(X + 40), access(X + 42), access(X + 40, line=5), access(Y + 40, "write"))
    assert [fault.count for fault in found] == [2, 1, 1]
    assert found[0].raw["index"] == 20  # the first


def test_causes_come_first() -> None:
    late = replace(access(X), kind="uninitialised")
    assert [fault.kind for fault in faults(late, access(X + 40))] == [
        "out_of_bounds",
        "uninitialised_read",
    ]


@pytest.mark.parametrize(
    ("before", "words"),
    [((31, 0, 0), "another lane of its warp"), ((32, 0, 0), "a thread of another warp")],
)
def test_a_race_inside_a_warp_is_told_apart(before: tuple[int, int, int], words: str) -> None:
    sides = (Side((), "read", (0, 0, 0)), Side((), "write", before))
    record = Record("race", "", sides[0], (0, 0, 0), sides[1], "shared", 64, what="RAW")
    (fault,) = faults(record)
    assert words in fault.message
    assert ("__syncwarp" in fault.advice) == ("warp" in words and "lane" in words)
    assert fault.location is None
