"""bench_plots: the pictures that `camp bench --plot` and `camp history --plot` ask for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from camp.bench.report import BenchReport
from camp.cli.excerpt import shown_path
from camp.cli.terminal import err
from camp.errors import StorageError, UsageError
from camp.progress import ProgressStore
from camp.workspace import Workspace


def require(path: Path | None, backend: str, *, hot: bool = False) -> None:
    """Whether a picture can be drawn, asked before minutes of measuring. Raises UsageError,
    ToolchainError and StorageError."""
    if path is None:
        return
    if backend == "sim":
        raise UsageError(
            "--plot draws times, and the simulator says nothing of speed",
            hint="`camp bench --plot FILE` on a GPU, or `camp history OP --plot FILE`",
        )
    if hot:
        raise UsageError("--plot draws the memory's speed, which --hot says nothing of")
    from camp.bench.plots import require_plots

    require_plots(path)


def draw(
    workspace: Workspace, reports: Sequence[BenchReport], path: Path | None
) -> StorageError | None:
    """Draws a roofline and a history for each operator, and says where; what could not be written
    is returned, so that the results are shown all the same."""
    if path is None:
        return None
    from camp.bench.plots import save
    from camp.bench.roofline import roofline

    try:
        for report in reports:
            name = path if len(reports) == 1 else beside(path, report.result.op)
            figure = roofline(report.result, report.spec.flops_per_element)
            if figure is None:
                err().say("nothing was measured, nothing is drawn", label=f"{report.result.op}: ")
                continue
            save(figure, name)
            err().say(shown_path(name), label="roofline: ")
            device = str(report.result.device.get("name", ""))
            cases = [case.case.name for case in report.result.cases]
            history = beside(name, "history")
            draw_history(workspace, report.result.op, history, device=device, cases=cases)
    except StorageError as error:
        return error
    return None


def draw_history(
    workspace: Workspace,
    op: str,
    path: Path,
    *,
    device: str | None = None,
    cases: Sequence[str] = (),
) -> None:
    """Draws what is remembered of an operator on one device, by default that of the last run, and
    says where. Raises StorageError."""
    from camp.bench.plots import save
    from camp.bench.timeline import timeline

    stored = ProgressStore(workspace.state_dir).benchmarks(op)
    if cases:
        stored = [row for row in stored if row.case_name in cases]
    if device is None and stored:
        device = stored[-1].device
    figure = timeline(op, [row for row in stored if row.device == device])
    if figure is None:
        err().say("nothing is remembered yet, nothing is drawn", label=f"{op} history: ")
        return
    save(figure, path)
    err().say(shown_path(path), label="history: ")


def beside(path: Path, word: str) -> Path:
    """copy.png -> copy-<word>.png"""
    return path.with_name(f"{path.stem}-{word}{path.suffix}")
