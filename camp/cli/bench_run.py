"""bench_run: one operator from its kernel file to a report: build, measure, compare, remember."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from camp.bench.cases import case_names, load_cases
from camp.bench.history import changes, rows
from camp.bench.measure import measure
from camp.bench.report import BenchReport, earned
from camp.build import build_bench
from camp.cli.bars import Bar
from camp.cli.building import BuildWatcher
from camp.cli.kernels import KernelChoice
from camp.cli.terminal import err
from camp.errors import StorageError
from camp.git import commit
from camp.grading.check import build_kernel, runtime_library
from camp.grading.counting import build_counted
from camp.nvcc.report import registers_by_kernel
from camp.nvcc.side_compile import beside
from camp.progress import MedalRow, ProgressStore, kernel_hash, now
from camp.spec import load_spec
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.bench.cases import BenchCase
    from camp.bench.results import BenchResult
    from camp.cli.bench import How


def measure_operator(
    workspace: Workspace, op: str, backend: str, kernels: KernelChoice, how: How
) -> tuple[BenchReport, StorageError | None]:
    """The report, and what could not be stored. Only the learner's own kernel is remembered and
    held against earlier runs. Raises BuildError."""
    spec = load_spec(workspace.root, op)
    cases = case_names(load_cases(workspace.root, op), simulated=backend == "sim")
    # Before the build and the measurement: the file may be edited meanwhile.
    digest, made_at, found = kernel_hash(spec.kernel), now(), commit(workspace.root)
    result = _measured(workspace, op, backend, kernels, cases, how)
    judged = earned(result, spec, cases)
    if not kernels.is_own:
        return BenchReport(result, spec, judged, is_own=False), None
    new = rows(result, made_at=made_at, kernel_hash=digest, git_commit=found)
    medals = []
    if judged.percent is not None:
        device = str(result.device.get("name", ""))
        medals.append(
            MedalRow(
                *(op, judged.kind, judged.medal, judged.percent, judged.case),
                *(made_at, digest, backend, device, found),
            )
        )
    store = ProgressStore(workspace.state_dir)
    try:
        before = changes(store.benchmarks(op), new)
        report = BenchReport(result, spec, judged, changes=before)
        store.record_run(new, medals)
    except StorageError as error:
        return BenchReport(result, spec, judged), error
    finally:
        for notice in store.notices:
            err().say(notice, "yellow", label="notice: ")
    return report, None


def _measured(
    workspace: Workspace,
    op: str,
    backend: str,
    kernels: KernelChoice,
    cases: Sequence[str],
    how: How,
) -> BenchResult:
    path = kernels.path(workspace, op)
    simulated = backend == "sim"
    with (
        beside(workspace, op, path or workspace.kernel(op), wanted=simulated) as side,
        Bar(f"{op}:") as bar,
    ):
        watcher = BuildWatcher(bar, err())
        if simulated:
            library = build_counted(workspace, op, path or workspace.kernel(op), watcher)
        else:
            library = build_kernel(workspace, op, backend, path, watcher)

        def on_case(case: BenchCase, number: int, total: int) -> None:
            bar.update(number - 1, total, case.name)

        result = measure(
            workspace,
            op,
            backend,
            {op: library, "runtime": runtime_library(workspace, backend)},
            kernel=path,
            case_names=[name for name in how.cases if name in cases],
            hot=how.hot,
            peers=how.peers,
            beside={} if simulated else build_bench(workspace, op, watcher),
            on_case=on_case,
        )
        if side is not None:
            result = result.with_registers(registers_by_kernel(side.finish()))
    return result
