"""Host code in a kernel file can do anything a process can. Each of these gets a verdict in time,
changes nothing outside its worker and leaves no process behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from camp.build import build_variants
from camp.errors import BuildError
from camp.grading.check import grade_all, overall, runtime_library
from camp.grading.grader import Grader
from camp.grading.result import CaseResult
from camp.grading.suite import load_cases
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parent / "hostile"
CASES = ("f32-n=1", "f32-n=257", "f32-n=random", "f16-n=33", "f32-two-operators")
LIMIT_S = 25.0


@dataclass(frozen=True)
class Hostile:
    """A kernel file of hostile/, the verdict it gets, and words of the first failure's message."""

    name: str
    verdict: str  # or two, with a bar between, where the machine's speed decides
    words: str = ""


HOSTILE = [
    Hostile("honest_control", "PASS"),
    Hostile("exits_at_load", "CRASH", "exit code 0 before it answered"),
    Hostile("exits_at_launch", "CRASH", "exit code 0 before it answered"),
    Hostile("aborts", "CRASH", "SIGABRT"),
    Hostile("segfaults", "CRASH", "SIGSEGV"),
    Hostile("throws", "CRASH", "exception"),
    Hostile("loops_at_load", "HANG", "does not end"),
    Hostile("loops_at_launch", "HANG", "does not end"),
    Hostile("loops_in_the_kernel", "HANG", "did not end"),
    Hostile("stops_itself", "HANG", "does not end"),
    Hostile("kills_its_group", "CRASH", "SIGKILL"),
    Hostile("kills_its_parent", "CRASH", "killed"),
    Hostile("fork_bomb", "CRASH", "processes"),
    Hostile("leaves_a_daemon", "PASS"),
    Hostile("forks_at_launch", "CRASH", "channel"),
    Hostile("closes_descriptors", "CRASH", "exit code"),
    Hostile("writes_garbage", "CRASH", "channel"),
    Hostile("forges_replies", "CRASH", "channel"),
    Hostile("floods_channels", "CRASH", "channel"),
    Hostile("prints_without_end", "PASS"),
    Hostile("opens_the_terminal", "PASS"),
    Hostile("reads_its_environment", "PASS"),
    Hostile("takes_all_memory", "CRASH|HANG"),
    Hostile("writes_a_large_file", "PASS"),
    Hostile("computes_on_the_host", "LAUNCH", "no kernel was launched"),
    Hostile("writes_its_input", "OOB", "x"),
    Hostile("overflows_its_stack", "CRASH", "stack"),
    Hostile("answers_once", "OOB"),
    Hostile("throws_at_load", "CRASH"),
    Hostile("loops_at_unload", "PASS"),
    Hostile("recurses_at_launch", "CRASH"),
    Hostile("jumps_out", "CRASH|LAUNCH"),
    Hostile("starts_threads", "PASS"),
    Hostile("ignores_signals", "HANG", "does not end"),
    Hostile("shrinks_files", "PASS"),
    Hostile("scribbles", "OOB"),
    Hostile("kernel_aborts", "CRASH"),
    Hostile("kernel_exits", "CRASH"),
    Hostile("kernel_throws", "OOB|CRASH"),
    Hostile("kernel_forks", "CRASH", "channel"),
    Hostile("kernel_prints", "PASS"),
    Hostile("kernel_takes_its_stack", "OOB|CRASH"),
    Hostile("kernel_follows_null", "OOB", "null"),
    Hostile("kernel_allocates", "CRASH|HANG"),
]
BY_NAME = {hostile.name: hostile for hostile in HOSTILE}


@pytest.fixture(scope="module")
def libraries() -> dict[str, Path]:
    """All of them built; the honest one is built through an including file."""
    ws = Workspace.find(FOLDER)
    wanted = [("copy", FOLDER / f"{name}.cuh") for name in BY_NAME]
    built = build_variants(ws, "sim", wanted, keep_going=True)
    for (_, path), library in built.items():
        if isinstance(library, BuildError):
            pytest.fail(f"{path.name}: {library.message} {library.log[-2000:]}", pytrace=False)
    return {path.stem: Path(str(library)) for (_, path), library in built.items()}


def grade(library: Path) -> list[CaseResult]:
    ws = Workspace.find(FOLDER)
    cases = [case for case in load_cases(ws.root, "copy") if case.id in CASES]
    assert len(cases) == len(CASES)
    with Grader("copy", backend="sim", seed=7) as grader:
        grader.use(runtime_library(ws, "sim"), library, Symbols(library))
        return list(grade_all(grader, cases))


def processes_using(library: Path) -> list[int]:
    """Processes that have the library mapped: the worker and whatever it forked."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                maps = Path(f"/proc/{entry}/maps").read_text()
            except OSError:
                continue
            if library.name in maps:
                found.append(int(entry))
    return found


@pytest.mark.parametrize("name", BY_NAME)
def test_hostile_kernel_is_a_verdict(
    name: str, libraries: dict[str, Path], capfd: pytest.CaptureFixture[str]
) -> None:
    hostile = BY_NAME[name]
    start = time.monotonic()
    results = grade(libraries[name])
    assert time.monotonic() - start < LIMIT_S
    assert overall(results).value in hostile.verdict.split("|"), [
        (r.id, r.message) for r in results
    ]
    if hostile.words:
        failure = next(result for result in results if not result.passed)
        assert hostile.words in failure.message
    # A worker whose shepherd was killed ends by the kernel's signal, a moment later.
    wait_until(lambda: not processes_using(libraries[name]), 5.0)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    for result in results:
        assert all(c.isprintable() or c in "\n\t" for c in result.output)
        assert len(result.output) < 5000


def test_nothing_outlives_a_killed_grader(libraries: dict[str, Path]) -> None:
    library = libraries["loops_at_launch"]
    script = f"import sys; sys.path.insert(0, {str(FOLDER.parents[2])!r})\n"
    script += "from pathlib import Path\n"
    script += "from tests.grading.test_hostile import grade\n"
    script += f"grade(Path({str(library)!r}))\n"
    grader = subprocess.Popen([sys.executable, "-c", script])
    try:
        wait_until(lambda: bool(processes_using(library)), 20.0)
    finally:
        grader.kill()
        grader.wait()
    wait_until(lambda: not processes_using(library), 5.0)


def wait_until(condition: Callable[[], bool], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_output_is_kept_and_cut(libraries: dict[str, Path]) -> None:
    outputs = [result.output for result in grade(libraries["prints_without_end"])]
    assert "line 0 of a flood" in outputs[0]
    assert outputs[0].endswith("[output cut]")


def test_worker_has_no_terminal(libraries: dict[str, Path]) -> None:
    assert "terminal: -1" in grade(libraries["opens_the_terminal"])[0].output


def test_files_are_bounded(libraries: dict[str, Path]) -> None:
    output = grade(libraries["writes_a_large_file"])[0].output
    assert 0 < int(output.split("bytes: ")[1].split()[0]) <= 1 << 20


def test_environment_holds_no_answers(
    libraries: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMP_SECRET", "a value that must stay here")
    output = grade(libraries["reads_its_environment"])[0].output
    assert "PATH=" in output
    assert "SECRET" not in output
    names = {line.partition("=")[0] for line in output.splitlines() if "=" in line}
    assert names <= {"PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR", "LD_LIBRARY_PATH"}


def test_list_and_folder_agree() -> None:
    assert {path.stem for path in FOLDER.glob("*.cuh")} == set(BY_NAME) | {"honest"}
