"""helpers: what the tests of commands look for in what a command said."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from camp.progress import Attempt, ProgressStore

from .conftest import Clone

EARLIER = Attempt("copy", "sim", "PASS", "2026-01-01T00:00:00+00:00", "h", 1, 9, 9)


def sentence(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Checks the exit code and the shape of the message; gives the message."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1, done.stderr
    return errors[0]


def kept(clone: Clone) -> list[Attempt]:
    return ProgressStore(clone.root / ".camp").attempts("copy")


def run_patched(
    clone: Clone, patch: str, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command in a process where `patch` was executed first."""
    code = f"import sys; from camp.cli import main; {patch}; sys.exit(main({list(arguments)!r}))"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd or clone.root,
        env=dict(clone.environment),
        capture_output=True,
        text=True,
        check=False,
    )


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON document on stdout."""
    found: dict[str, Any] = json.loads(done.stdout)
    return found
