"""plots: what the pictures of benchmarks share: a light style, and files written whole or not.

matplotlib is an optional dependency (the extra `plot`), imported only when a picture is asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from camp.errors import StorageError, ToolchainError, UsageError

KINDS = (".png", ".svg")
DPI = 150
INK, FAINT, ROOF = "#222222", "#8a8a8a", "#c0392b"
# Told apart without colour vision, and by their markers.
SERIES = (("#0072b2", "o"), ("#e69f00", "s"), ("#009e73", "^"), ("#cc79a7", "D"))

_STYLE = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so pictures are alike everywhere
    "svg.fonttype": "none",  # text stays text, to be searched and copied
    "svg.hashsalt": "camp",  # the same numbers give the same file
}


def require_plots(path: Path) -> None:
    """Raises UsageError for a name that is no picture's, ToolchainError without matplotlib and
    StorageError where the file could not be written."""
    if path.suffix.lower() not in KINDS:
        raise UsageError(f"a picture's name ends in {' or '.join(KINDS)}, not as in '{path.name}'")
    try:
        importlib.import_module("matplotlib.figure")
    except ImportError as error:
        raise ToolchainError(
            f"pictures are drawn by matplotlib, which cannot be imported: {error}",
            hint="pip install -e '.[plot]'",
        ) from error
    folder = path.parent
    if not folder.is_dir():
        raise StorageError(f"{path} cannot be written: there is no folder {folder}")
    if path.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise StorageError(f"{path} cannot be written: permission denied, or it is a folder")


@contextlib.contextmanager
def style() -> Iterator[None]:
    """Figures made within look as all of them do."""
    matplotlib: Any = importlib.import_module("matplotlib")
    with matplotlib.rc_context(_STYLE):
        yield


def new_figure(width: float, height: float) -> Any:
    """A matplotlib Figure of that many inches, without any window system."""
    figure: Any = importlib.import_module("matplotlib.figure").Figure
    return figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: Path) -> None:
    """Writes a figure as what its name says: the whole file or none. Raises StorageError."""
    kind = path.suffix.lower().lstrip(".")
    data = io.BytesIO()
    with style():
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(data, format=kind, dpi=DPI, metadata=metadata)
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=path.suffix, delete=False) as part:
            part.write(data.getvalue())
        os.chmod(part.name, 0o644)
        os.replace(part.name, path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}") from error
