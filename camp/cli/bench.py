"""bench: measure operators and show the numbers with their conditions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camp.cli.bars import Bar
from camp.cli.kernels import (
    OWN_KERNEL,
    KernelChoice,
    KernelOption,
    SolutionOption,
    StepOption,
)
from camp.cli.options import Backend, Json, OperatorOption, conclude, operators, speak_json
from camp.cli.terminal import err, out
from camp.errors import EXIT_FAILED, EXIT_PASS, StorageError
from camp.progress import Benchmark, ProgressStore, kernel_hash, now
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.bench.cases import BenchCase
    from camp.bench.results import BenchResult


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
    as_json: Json = False,
) -> int:
    """Measure operators: time on a GPU, traffic on sim."""
    speak_json(as_json)
    workspace = Workspace.find()
    chosen = workspace.backend(backend)
    ops, kernels = operators(workspace, [op]), KernelChoice(kernel, solution, step)
    kernels.require_valid(ops)
    results = bench_operators(workspace, ops, chosen, kernels, cases=case, as_json=as_json)
    return exit_code(results)


def exit_code(results: list[BenchResult]) -> int:
    """0 when every case was measured (or skipped with a reason), else 1."""
    return EXIT_PASS if all(result.passed for result in results) else EXIT_FAILED


def bench_operators(
    workspace: Workspace,
    ops: list[str],
    backend: str,
    kernels: KernelChoice = OWN_KERNEL,
    *,
    cases: list[str] | None = None,
    as_json: bool = False,
) -> list[BenchResult]:
    """Builds, measures, shows and stores. A failure to store raises when all is shown."""
    from camp.bench.measure import measure
    from camp.build import build_bench
    from camp.cli.bench_view import show_bench
    from camp.cli.building import BuildWatcher
    from camp.grading.check import build_kernel, runtime_library
    from camp.grading.counting import build_counted
    from camp.nvcc.report import registers_by_kernel
    from camp.nvcc.side_compile import beside

    results: list[BenchResult] = []
    trouble: StorageError | None = None
    for op in ops:
        path = kernels.path(workspace, op)
        wanted = backend == "sim"
        with (
            beside(workspace, op, path or workspace.kernel(op), wanted=wanted) as side,
            Bar(f"{op}:") as bar,
        ):
            watcher = BuildWatcher(bar, err())
            if backend == "sim":
                library = build_counted(workspace, op, path or workspace.kernel(op), watcher)
            else:
                library = build_kernel(workspace, op, backend, path, watcher)
            libraries = {op: library, "runtime": runtime_library(workspace, backend)}
            watch = _Watcher(bar)
            result = measure(
                workspace,
                op,
                backend,
                libraries,
                kernel=path,
                case_names=cases,
                beside=build_bench(workspace, op, watcher) if backend == "nvidia" else {},
                on_case=watch,
            )
            if side is not None:
                result = result.with_registers(registers_by_kernel(side.finish()))
        # Stored before it is shown: a reader such as `head` may end this process while it prints.
        if kernels.is_own:
            trouble = _remember(workspace, result) or trouble
        if not as_json:
            if results:
                out().raw()
            show_bench(out(), result)
        results.append(result)
    conclude(results, exit_code(results), as_json, trouble)
    return results


class _Watcher:
    """Shows which case runs."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar

    def __call__(self, case: BenchCase, number: int, total: int) -> None:
        self._bar.update(number - 1, total, case.name)


def _remember(workspace: Workspace, result: BenchResult) -> StorageError | None:
    store = ProgressStore(workspace.state_dir)
    try:
        for row in rows(result, workspace.kernel(result.op)):
            store.record_benchmark(row)
    except StorageError as error:
        return error
    finally:
        for notice in store.notices:
            err().say(notice, "yellow", label="notice: ")
    return None


def rows(result: BenchResult, kernel: Path) -> list[Benchmark]:
    """What is stored of a result: the cases that were timed and valid."""
    found, made_at, digest = [], now(), kernel_hash(kernel)
    for case in result.cases:
        percent = case.percent_of_ceiling
        if case.kernel is None or percent is None or case.outcome.value != "OK":
            continue
        summary = case.kernel.summary
        found.append(
            Benchmark(
                operator=result.op,
                backend=result.backend,
                case_name=case.case.name,
                made_at=made_at,
                kernel_hash=digest,
                device=str(result.device.get("name", "")),
                median_us=summary.median,
                p10_us=summary.p10,
                p90_us=summary.p90,
                samples=summary.n,
                minimum_bytes=case.case.minimum_bytes,
                ceiling_percent=percent,
            )
        )
    return found
