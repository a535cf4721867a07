"""sanitize.run: builds a kernel and runs chosen cases of it under each checker."""

from __future__ import annotations

import secrets
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from camp.apart_plan import PlannedCase, write_plan
from camp.build_process import Progress
from camp.errors import CampError, UsageError
from camp.exercises import is_untouched
from camp.grading.check import build_kernel, runtime_library
from camp.grading.prepared import draw_seed
from camp.grading.suite import load_cases
from camp.guarded import Ended, Guarded
from camp.nvidia_tools import SANITIZER, require_tool
from camp.sanitize.cases import choose, planned
from camp.sanitize.findings import faults_of
from camp.sanitize.report import ToolOutput, read_output
from camp.sanitize.result import Finding, SanitizeResult, ToolRun
from camp.spec import load_spec
from camp.workspace import Workspace

# What each checker is asked for besides the options that all of them share. Memory beside every
# allocation belongs to nobody, so that an access a little too far hits no other tensor; a kernel
# that is stopped leaves the context alive for the cases that follow.
TOOLS: dict[str, tuple[str, ...]] = {
    "memcheck": (
        "--padding=65536",
        "--destroy-on-device-error=kernel",
        "--report-api-errors=no",
    ),
    "racecheck": ("--racecheck-report=hazard",),
    "initcheck": (),
    "synccheck": (),
}
MOST_RECORDS = 1000  # a checker prints no more, over all cases
_SHARED = ("--strip-paths=no", "--show-backtrace=device", f"--print-limit={MOST_RECORDS}")
LIMIT_S = 90.0

OnTool = Callable[[str, int, int], None]  # a checker, how many are done, of how many


@dataclass(frozen=True)
class Subject:
    """What is run: the libraries of an operator, built from `kernel`, and its cases."""

    op: str
    kernel: Path
    runtime: Path
    library: Path
    cases: Sequence[PlannedCase]


def tools_of(words: str) -> list[str]:
    """The checkers that "memcheck", "memcheck,racecheck" or "all" name. Raises UsageError."""
    names = [word.strip() for word in words.split(",") if word.strip()]
    wrong = next((name for name in names if name not in TOOLS and name != "all"), None)
    if wrong is not None or not names:
        raise UsageError(f"--sanitize: '{wrong or words}' is not one of all, {', '.join(TOOLS)}")
    return list(TOOLS) if "all" in names else list(dict.fromkeys(names))


def sanitize(
    ws: Workspace,
    op: str,
    *,
    tools: Sequence[str],
    kernel: Path | None = None,
    seed: int | None = None,
    on_build: Progress | None = None,
    on_tool: OnTool | None = None,
) -> SanitizeResult:
    """Runs an operator's small cases under the checkers named, on the backend nvidia.

    Raises ToolchainError where there is no GPU, nvcc or compute-sanitizer, BuildError for a kernel
    that does not compile, and CampError for one that is still the scaffold.
    """
    path = (kernel or load_spec(ws.root, op).kernel).resolve()
    program = require_tool(SANITIZER)
    if path.is_file() and is_untouched(ws.root, op, path):
        raise CampError(
            f"{op} is not started: {path} is still the scaffold", hint=f"`camp hint {op}` helps"
        )
    drawn = draw_seed() if seed is None else seed
    library = build_kernel(ws, op, "nvidia", kernel, on_build)
    cases = [planned(*chosen) for chosen in choose(load_cases(ws.root, op), drawn)]
    subject = Subject(op, path, runtime_library(ws, "nvidia"), library, cases)
    runs = run_tools(program, tools, subject, on_tool=on_tool)
    return SanitizeResult(op, str(path), drawn, len(cases), tuple(runs))


def run_tools(
    program: Path,
    tools: Sequence[str],
    subject: Subject,
    *,
    limit_s: float = LIMIT_S,
    on_tool: OnTool | None = None,
) -> list[ToolRun]:
    """Runs all checkers at once: each is mostly its own start-up. None outlives this call."""
    mark = f"@camp-{secrets.token_hex(8)}"  # what a kernel prints is not taken for the worker's
    found: list[ToolRun] = []
    with tempfile.TemporaryDirectory(prefix="camp-sanitize-") as name, ExitStack() as stack:
        folder = Path(name)
        worker = write_plan(
            folder,
            op=subject.op,
            runtime=subject.runtime,
            library=subject.library,
            mark=mark,
            cases=subject.cases,
        )
        deadline = time.monotonic() + limit_s
        running = []
        for tool in tools:
            command = [str(program), "--tool", tool, *_SHARED, *TOOLS[tool], *worker]
            log = folder / f"{tool}.txt"
            running.append(stack.enter_context(Guarded(command, cwd=folder, log=log)))
        for done, (tool, process) in enumerate(zip(tools, running, strict=True)):
            if on_tool is not None:
                on_tool(tool, done, len(tools))
            ended = process.finish(deadline)
            output = read_output(ended.output, mark)
            found.append(_judge(tool, subject, ended, output, limit_s))
    return found


def _judge(
    tool: str, subject: Subject, ended: Ended, output: ToolOutput, limit_s: float
) -> ToolRun:
    cases = {case.id: case for case in subject.cases}
    runs = {run.id: run for run in output.cases}
    findings = tuple(
        Finding(tool, case, fault)
        for case, fault in faults_of(output.records, cases, runs, subject.kernel)
    )
    failure, trouble = "", ""
    finished = [run for run in output.cases if run.status]
    failed = [run for run in finished if run.status != "SUCCESS"]
    begun = next((run.id for run in output.cases if not run.status), "")
    told = {finding.case for finding in findings}
    if failed and failed[0].id not in told:
        failure = f"case {failed[0].id} ended with {failed[0].status}: {failed[0].message}"
    elif ended.timed_out and begun:
        failure = (
            f"case {begun} gave no result within {limit_s:g} s: a loop in the kernel may not end, "
            "or threads wait for each other for ever"
        )
    elif ended.flooded:
        failure = "the kernel's code prints without end"
    elif ended.timed_out:
        trouble = f"it gave no answer within {limit_s:g} s"
    elif begun and begun not in told:
        failure = f"the process that ran the kernel ended during case {begun}"
    elif not (output.summary and finished) and not findings:
        trouble = f"it ended without a report: {_last_words(ended, output)}"
    cut = len(output.records) >= MOST_RECORDS
    return ToolRun(tool, len(finished), findings, failure, trouble, cut)


def _last_words(ended: Ended, output: ToolOutput) -> str:
    """The last line that the process under the tool printed, else what the tool complained of, else
    its own last line, else how it ended."""
    lines = [line.strip() for line in ended.output.splitlines()]
    theirs = [line for line in lines if line and not line.startswith(("=========", "@camp-"))]
    own = [line.strip("= \t") for line in lines if line.startswith("=========")]
    said = [*theirs[-1:], *output.trouble[:1], *[line for line in own if line][-1:]]
    ending = f"signal {ended.signal}" if ended.signal else f"exit code {ended.code}"
    return said[0] if said else ending
