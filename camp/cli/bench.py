"""bench: measure operators and show the numbers with their conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camp.cli.kernels import (
    OWN_KERNEL,
    KernelChoice,
    KernelOption,
    SolutionOption,
    StepOption,
)
from camp.cli.options import Backend, Json, OperatorOption, conclude, operators, speak_json
from camp.cli.terminal import err, out
from camp.errors import (
    EXIT_BUILD,
    EXIT_FAILED,
    EXIT_INTERNAL,
    EXIT_PASS,
    BuildError,
    UsageError,
)
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.bench.report import BenchReport


def bench(
    op: OperatorOption,
    backend: Backend = None,
    case: Annotated[
        list[str] | None,
        typer.Option("--case", metavar="NAME", help="Only this case; may be repeated."),
    ] = None,
    kernel: KernelOption = None,
    solution: SolutionOption = False,
    step: StepOption = None,
    hot: Annotated[
        bool,
        typer.Option("--hot", help="One buffer set, which caches may hold. No medal, not kept."),
    ] = False,
    peer: Annotated[
        list[str] | None,
        typer.Option(
            "--peer", metavar="NAME|all|none", help="What to time beside it; may be repeated."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE.png|.svg",
            help="Also draw the roofline, and beside it FILE-history. On a GPU.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Measure operators: time on a GPU, traffic on sim.

    With `--op all` an exercise that is not started or does not build is shown and the others are
    measured.
    """
    speak_json(as_json)
    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    ops, kernels = operators(workspace, [op]), KernelChoice(kernel, solution, step)
    kernels.require_valid(ops)
    for option, wanted in (("--hot", hot), ("--peer", peer)):
        if wanted and chosen == "sim":
            raise UsageError(f"{option} is for times, and the simulator says nothing of speed")
    run = bench_operators(
        workspace,
        ops,
        chosen,
        kernels,
        how=How(tuple(case or ()), tuple(peer or ()), hot, plot, as_json, lenient=op == "all"),
    )
    return run.exit_code


@dataclass(frozen=True)
class How:
    """cases: names, () for all. peers: as camp.bench.peers.chosen takes them. plot: where the
    pictures go. lenient: go on with the other operators where one is not started or does not
    build."""

    cases: tuple[str, ...] = ()
    peers: tuple[str, ...] = ()
    hot: bool = False
    plot: Path | None = None
    as_json: bool = False
    lenient: bool = False


@dataclass
class Run:
    """What was measured, and of what was not: why, as a sentence."""

    reports: list[BenchReport] = field(default_factory=list)
    not_started: dict[str, str] = field(default_factory=dict)
    not_built: dict[str, str] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """3 when one did not build, 70 when a ceiling was none, which is a fault of Camp, 0 when
        every case was measured (or skipped), else 1."""
        if self.not_built:
            return EXIT_BUILD
        outcomes = {case.outcome.value for report in self.reports for case in report.result.cases}
        if "INVALID_CEILING" in outcomes:
            return EXIT_INTERNAL
        passed = all(report.result.passed for report in self.reports)
        return EXIT_PASS if passed else EXIT_FAILED


def bench_operators(
    workspace: Workspace,
    ops: list[str],
    backend: str,
    kernels: KernelChoice = OWN_KERNEL,
    *,
    how: How = How(),
) -> Run:
    """Builds, measures, stores and shows. A failure to store raises when all is shown."""
    from camp.bench.peers import chosen
    from camp.cli.bench_plots import draw, require
    from camp.cli.bench_run import measure_operator
    from camp.cli.bench_view import show_bench
    from camp.cli.failures import show_build_error

    require(how.plot, backend, hot=how.hot)
    chosen(how.peers)
    run, trouble = Run(), None
    for op in _measured(workspace, ops, backend, kernels, how, run):
        try:
            report, unstored = measure_operator(workspace, op, backend, kernels, how)
        except BuildError as error:
            if not how.lenient:
                raise
            run.not_built[op] = "does not build"
            err().say("the code does not compile", "red", "bold", label=f"{op}: ")
            show_build_error(err(), error)
            continue
        trouble = unstored or trouble
        if not how.as_json:
            if run.reports:
                out().raw()
            show_bench(out(), report)
            out().flush()
        run.reports.append(report)
    unmeasured = {**run.not_started, **run.not_built}
    if not how.as_json and len(ops) > 1:
        from camp.cli.bench_summary import show_summary

        show_summary(out(), run.reports, unmeasured)
    trouble = draw(workspace, run.reports, how.plot) or trouble
    reports = run.reports
    conclude(reports, run.exit_code, how.as_json, trouble, not_measured=unmeasured)
    return run


def _measured(
    workspace: Workspace, ops: list[str], backend: str, kernels: KernelChoice, how: How, run: Run
) -> list[str]:
    """The operators to measure. Raises UsageError for a case that none of them has."""
    from camp.bench.cases import require_cases
    from camp.exercises import is_untouched

    chosen = require_cases(workspace.root, ops, how.cases, simulated=backend == "sim")
    if how.lenient and kernels.is_own:
        for op in chosen:
            if is_untouched(workspace.root, op):
                run.not_started[op] = "not started"
    for op in run.not_started:
        if not how.as_json:
            out().say("not started, not measured", label=f"{op}: ")
    return [op for op in chosen if op not in run.not_started]
