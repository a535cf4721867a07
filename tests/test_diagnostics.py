"""Messages of every tool of a build are found in its output."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.diagnostics import cmake_message, errors, parse
from camp.errors import Diagnostic

KERNEL = Path("/learner/kernel.cuh")

LINES = [
    (
        "/learner/kernel.cuh:12:5: error: 'x' was not declared in this scope",
        ("/learner/kernel.cuh", 12, 5, "error", "'x' was not declared in this scope"),
    ),
    (
        "/my dir/kernel.cuh:3:10: fatal error: nope.h: No such file or directory",
        ("/my dir/kernel.cuh", 3, 10, "error", "nope.h: No such file or directory"),
    ),
    ("a.cc:7: warning: deprecated", ("a.cc", 7, 0, "warning", "deprecated")),
    (
        '/learner/kernel.cuh(20): error: identifier "foo" is undefined',
        ("/learner/kernel.cuh", 20, 0, "error", 'identifier "foo" is undefined'),
    ),
    (
        "/learner/kernel.cuh(4): warning #177-D: variable was declared but never referenced",
        ("/learner/kernel.cuh", 4, 0, "warning", "variable was declared but never referenced"),
    ),
    (
        "/learner/kernel.cuh(1): catastrophic error: cannot open source file",
        ("/learner/kernel.cuh", 1, 0, "error", "cannot open source file"),
    ),
    (
        "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes)",
        ("ptxas", 0, 0, "error", "Entry function 'k' uses too much shared data (0x10000 bytes)"),
    ),
    (
        "/usr/bin/ld: /learner/kernel.cuh:9: undefined reference to `forgotten(int*)'",
        ("/learner/kernel.cuh", 9, 0, "error", "undefined reference to `forgotten(int*)'"),
    ),
    (
        "/usr/bin/ld: x.o:(.text+0x1f): undefined reference to `forgotten(int*)'",
        ("x.o", 0, 0, "error", "undefined reference to `forgotten(int*)'"),
    ),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_one_line(line: str, expected: tuple[str, int, int, str, str]) -> None:
    file, number, column, severity, message = expected
    assert parse(line) == [Diagnostic(file, number, column, message, severity)]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[3/8] Building CXX object x.o",
        "/usr/bin/c++ -c kernel.cuh -o x.o",
        "In file included from /learner/kernel.cuh:3,",
        "   12 |   x = 3;",
        "collect2: error: ld returned 1 exit status",
        "2 errors detected in the compilation of 'kernel.cuh'.",
    ],
)
def test_other_lines_are_no_message(line: str) -> None:
    assert parse(line) == []


def test_the_learners_errors_come_first() -> None:
    output = (
        "/camp/common/warp.cuh:5:1: error: first\n"
        "/learner/kernel.cuh:9:2: error: second\n"
        "/learner/kernel.cuh:9:2: error: second\n"
        "/learner/kernel.cuh:8:2: note: declared here\n"
        "/learner/kernel.cuh:2:2: warning: unused\n"
    )
    found = errors(output, [KERNEL])
    assert [(d.file, d.line, d.message) for d in found] == [
        (str(KERNEL), 9, "second"),
        ("/camp/common/warp.cuh", 5, "first"),
    ]


def test_what_follows_in_the_including_file_is_left_out() -> None:
    follow_on = "/camp/ops/copy/nvidia/copy_cuda.cu:43:1: error: 'Copy' was not declared\n"
    assert [d.file for d in errors(follow_on, [KERNEL])] == ["/camp/ops/copy/nvidia/copy_cuda.cu"]
    both = "/learner/kernel.cuh:9:2: error: expected ';'\n" + follow_on
    assert [d.file for d in errors(both, [KERNEL])] == [str(KERNEL)]


def test_gcc_tells_the_cause_before_the_error() -> None:
    output = (
        "/camp/warp.cuh: In instantiation of 'T sum(T) [with T = Mine]':\n"
        "/learner/kernel.cuh:30:9:   required from 'void k(T) [with T = Mine]'\n"
        "/learner/other.cuh:31:9:   required from here\n"
        "/camp/warp.cuh:5:12: error: no match for 'operator+'\n"
        "/camp/warp.cuh:6:12: error: unrelated\n"
    )
    first, second = errors(output, [KERNEL])
    assert (first.file, first.line, first.column) == (str(KERNEL), 30, 9)
    assert first.message == "no match for 'operator+' (in warp.cuh:5, used here)"
    assert (second.file, second.message) == ("/camp/warp.cuh", "unrelated")


def test_clang_tells_the_cause_after_the_error() -> None:
    output = (
        "/camp/warp.cuh:5:12: error: invalid operands\n"
        "/learner/kernel.cuh:30:9: note: in instantiation of function template 'sum<Mine>'\n"
    )
    (first,) = errors(output, [KERNEL])
    assert (first.file, first.line) == (str(KERNEL), 30)
    assert first.message == "invalid operands (in warp.cuh:5, used here)"


def test_the_message_of_cmake() -> None:
    output = (
        "-- The CXX compiler\nCMake Error at cmake/cutlass.cmake:16 (message):\n"
        "  CAMP_ENABLE_CUTE is ON but\n  nothing was found.\n"
        "Call Stack (most recent call first):\n  CMakeLists.txt:42 (include)\n\n"
    )
    assert cmake_message(output) == "CAMP_ENABLE_CUTE is ON but nothing was found."
    assert cmake_message("CMake Error: no such generator\n") == "no such generator"
    assert cmake_message("-- fine\n") == ""
