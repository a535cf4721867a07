"""bars: a progress bar on stderr while something long runs; nothing where nobody watches."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from camp.cli.terminal import err


class Bar:
    """A context manager. Off a terminal every call does nothing, and rich is not imported."""

    def __init__(self, title: str, *, enabled: bool = True) -> None:
        self._title = title
        self._live = enabled and err().interactive
        self._progress: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def update(self, done: int, total: int, text: str = "") -> None:
        """Shows `done` of `total` steps and what runs now."""
        if not self._live:
            return
        if self._progress is None:
            self._start()
        description = f"{self._title} {text}".strip()
        self._progress.update(self._task, completed=done, total=total, description=description)

    def _start(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        terminal = err()
        console = Console(file=terminal.stream, stderr=True, no_color=not terminal.color)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            console=console,
            transient=True,
        )
        self._task = self._progress.add_task(self._title, total=None)
        self._progress.start()
