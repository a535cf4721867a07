"""check: grades one kernel file: scaffold untouched? builds? then every case in a worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from camp.build import build_variants, ensure_built
from camp.build_process import Progress
from camp.counters.model import Counters
from camp.errors import BuildError
from camp.exercises import first_todo, is_untouched
from camp.grading.case import Case
from camp.grading.counting import build_counted, case_to_count, count_case
from camp.grading.grader import Grader
from camp.grading.prepared import draw_seed
from camp.grading.result import CaseResult, CheckResult
from camp.grading.suite import load_cases, select
from camp.grading.symbols import Symbols
from camp.grading.verdict import Verdict
from camp.spec import load_spec
from camp.toolchain import require_gpu
from camp.workspace import Workspace

OnCase = Callable[[CaseResult, int, int], None]  # result, how many are done, of how many


def check(
    ws: Workspace,
    op: str,
    *,
    backend: str,
    kernel: Path | None = None,
    seed: int | None = None,
    on_case: OnCase | None = None,
    opt_in: frozenset[str] = frozenset(),
    stop_at_failure: bool = False,
    on_build: Progress | None = None,
    counters: bool = False,
) -> CheckResult:
    """Builds and grades the learner's file of an operator, or another kernel file for it.

    backend: "sim" or "nvidia". seed: repeats an earlier check's values; None draws one.
    opt_in: marks of cases to run besides the ordinary ones ("large").
    counters: on `sim`, also count by lines; only for a kernel that passes, since one that leaves
    work out also leaves out what the work costs.
    Raises CampError for what is not the kernel's fault, such as an unknown operator or a missing
    compiler; a kernel that does not build is a verdict.
    """
    spec = load_spec(ws.root, op)
    path = (kernel or spec.kernel).resolve()
    drawn = draw_seed() if seed is None else seed
    blank = CheckResult(op, backend, str(path), Verdict.PASS, drawn)
    if path.is_file() and is_untouched(ws.root, op, path):
        todo = first_todo(ws.root, op, path)
        where = (todo.line, todo.text) if todo else None
        return replace(blank, verdict=Verdict.NOT_STARTED, todo=where)
    cases = select(load_cases(ws.root, op), backend=backend, opt_in=opt_in)
    with Grader(op, backend=backend, seed=drawn) as grader:
        grader.start()  # its start-up overlaps the compiler's work
        try:
            library = build_kernel(ws, op, backend, kernel, on_build)
        except BuildError as error:
            return replace(blank, verdict=Verdict.BUILD, build_error=error)
        grader.use(runtime_library(ws, backend), library, Symbols(library))
        results: list[CaseResult] = []
        for result in grade_all(grader, cases, stop_at_failure=stop_at_failure):
            results.append(result)
            if on_case is not None:
                on_case(result, len(results), len(cases))
        verdict = overall(results)
        wanted = counters and backend == "sim" and verdict is Verdict.PASS
        return replace(
            blank,
            verdict=verdict,
            cases=tuple(results),
            not_run=len(cases) - len(results),
            traffic=grader.counted.totals() if grader.counted else None,
            counters=_count(ws, grader, cases, path, on_build) if wanted else None,
        )


def _count(
    ws: Workspace,
    grader: Grader,
    cases: Iterable[Case],
    kernel: Path,
    on_build: Progress | None,
) -> Counters | None:
    """By lines; None without a case to count. The grader is of no use for grading afterwards."""
    case = case_to_count(cases, grader.seed)
    if case is None:
        return None
    library = build_counted(ws, grader.op, kernel, on_build)
    grader.close()
    grader.use(runtime_library(ws, "sim"), library, Symbols(library))
    return count_case(grader, case, kernel=kernel, root=ws.root, library=library)


def build_kernel(
    ws: Workspace, op: str, backend: str, kernel: Path | None, progress: Progress | None = None
) -> Path:
    """The library of the learner's file, or of another kernel file, to be run here.

    Raises BuildError, and ToolchainError where the backend cannot run.
    """
    if backend == "nvidia":
        require_gpu()
    if kernel is None or kernel.resolve() == load_spec(ws.root, op).kernel.resolve():
        return ensure_built(ws, backend, [op], progress)[op]
    built = build_variants(ws, backend, [(op, kernel)], progress=progress)
    (library,) = built.values()
    if isinstance(library, BuildError):
        raise library
    return library


def runtime_library(ws: Workspace, backend: str) -> Path:
    """The C runtime that the operator libraries of a build directory link to."""
    return ws.build_dir(backend) / "libcamp_runtime.so"


def grade_all(
    grader: Grader, cases: Iterable[Case], *, stop_at_failure: bool = False
) -> Iterator[CaseResult]:
    """Grades in order, until too many cases hang or crash."""
    for case in cases:
        result = grader.grade(case)
        yield result
        if grader.gave_up or (stop_at_failure and not result.passed):
            return


def overall(results: Iterable[CaseResult]) -> Verdict:
    """The word of the first case that did not pass."""
    return next((r.verdict for r in results if not r.passed), Verdict.PASS)
