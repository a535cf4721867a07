"""What compute-sanitizer 2025.3 printed on an H200 for kernels with one fault each, read back.

recorded/*.txt holds two records for each kernel; its name is that of the fault.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.sanitize.report import (
    BARRIER,
    MISALIGNED,
    OUT_OF_BOUNDS,
    RACE,
    UNINITIALISED,
    Record,
    read_output,
)

RECORDED = Path(__file__).parent / "recorded"
MARK = "@mark"


def records(tool: str) -> dict[str, Record]:
    """The first record of each kernel, by the kernel's name."""
    output = read_output((RECORDED / f"{tool}.txt").read_text(), MARK)
    assert output.summary
    found: dict[str, Record] = {}
    for record in output.records:
        found.setdefault(record.side.frames[-1].function.partition("(")[0], record)
    return found


@pytest.mark.parametrize(
    ("kernel", "kind", "space", "access", "size", "line"),
    [
        ("oob_read", OUT_OF_BOUNDS, "global", "read", 4, 7),
        ("oob_write", OUT_OF_BOUNDS, "global", "write", 4, 11),
        ("oob_atomic", OUT_OF_BOUNDS, "global", "atomic", 4, 15),
        ("misaligned", MISALIGNED, "global", "read", 8, 18),
        ("null_write", OUT_OF_BOUNDS, "global", "write", 4, 21),
        ("oob_shared", OUT_OF_BOUNDS, "shared", "write", 4, 24),
    ],
)
def test_accesses(kernel: str, kind: str, space: str, access: str, size: int, line: int) -> None:
    record = records("memcheck")[kernel]
    assert (record.kind, record.space, record.side.access) == (kind, space, access)
    assert record.bytes == size
    frame = record.side.frames[-1]
    assert (frame.file, frame.line) == ("faults.cu", line)
    assert record.address is not None


def test_a_correct_kernel_has_no_record() -> None:
    for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
        assert "clean" not in records(tool)


def test_thread_block_and_address() -> None:
    record = records("memcheck")["oob_read"]
    assert (record.side.thread, record.block) == ((250, 0, 0), (0, 0, 0))
    assert record.address == 0x7FE5348003E8


def test_an_inlined_function_is_followed_by_its_caller() -> None:
    frames = records("memcheck")["oob_atomic"].side.frames
    assert [frame.function.partition("(")[0] for frame in frames] == ["atomicAdd", "oob_atomic"]
    assert frames[0].file.endswith("sm_20_atomic_functions.hpp")


def test_a_race_has_two_sides_in_order() -> None:
    record = records("racecheck")["race_raw"]
    assert (record.kind, record.what, record.space) == (RACE, "RAW", "shared")
    assert record.other is not None
    assert (record.other.access, record.other.frames[0].line) == ("write", 36)
    assert (record.side.access, record.side.frames[0].line) == ("read", 37)
    assert record.other.thread != record.side.thread
    assert record.block == (0, 0, 0)


def test_an_uninitialised_read() -> None:
    record = records("initcheck")["uninit_global"]
    assert (record.kind, record.space, record.bytes) == (UNINITIALISED, "global", 4)
    assert record.side.frames[0].line == 55


def test_a_barrier_in_a_branch() -> None:
    record = records("synccheck")["bar_divergent"]
    assert (record.kind, record.what) == (BARRIER, "Divergent thread(s) in warp")
    assert record.side.thread == (32, 0, 0)
    assert record.side.frames[0].line == 64


def test_marks_tell_the_case_and_its_memory() -> None:
    block = (RECORDED / "memcheck.txt").read_text().split("MARK")[0]
    text = (
        f'{MARK} {{"begin": "a", "memory": {{"x": [4096, 40]}}}}\n'
        f'{MARK} {{"end": "a", "status": "SUCCESS", "message": ""}}\n'
        f'{MARK} {{"begin": "b", "memory": {{}}}}\n{block}'
        '@other {"end": "b", "status": "SUCCESS", "message": ""}\n'
    )
    output = read_output(text, MARK)
    assert {record.case for record in output.records} == {"b"}
    first, second = output.cases
    assert (first.memory, first.status) == ({"x": (4096, 40)}, "SUCCESS")
    assert (second.id, second.status) == ("b", "")  # whoever does not know the mark ends nothing


def test_what_a_kernel_prints_before_a_record_does_not_hide_it() -> None:
    lines = (RECORDED / "memcheck.txt").read_text().splitlines(keepends=True)
    text = "".join([lines[0], "value 3", *lines[1:8]])
    assert len(read_output(text, MARK).records) == 1


@pytest.mark.parametrize("cut", [1, 100, 250, 400, 2000, 5000])
def test_output_cut_anywhere_is_read_as_far_as_it_goes(cut: int) -> None:
    text = (RECORDED / "memcheck.txt").read_text()
    whole = read_output(text, MARK).records
    part = read_output(text[:cut], MARK)
    assert len(part.records) <= len(whole)
    assert not part.summary
    complete = max(len(part.records) - 1, 0)  # the last may have been cut
    assert [r.kind for r in part.records[:complete]] == [r.kind for r in whole[:complete]]


def test_complaints_of_the_tool_are_kept() -> None:
    text = (
        "========= COMPUTE-SANITIZER\n"
        "========= Error: Target application terminated before first instrumented API call\n"
    )
    output = read_output(text, MARK)
    assert output.trouble == ("Target application terminated before first instrumented API call",)
    assert not output.records
