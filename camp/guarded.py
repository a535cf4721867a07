"""guarded: runs a tool that itself runs learner code, and leaves no process of either behind.

The tool runs under camp.worker.guard, which ends all of it when the tool ends, when stop() is
called, or when this process is gone, even by SIGKILL.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

_PACKAGE_PARENT = Path(__file__).resolve().parents[1]
_KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "TMPDIR", "HOME")
_GUARD = (sys.executable, "-S", "-m", "camp.worker.guard")
_STOP_LIMIT_S = 10.0
_LOOK_S = 0.1
_OUTPUT_LIMIT_BYTES = 64 << 20


@dataclass(frozen=True)
class Ended:
    """How a tool ended. code: its exit status, None where a signal or its time limit ended it.
    flooded: it was stopped because it printed without end. output: what it and the learner's code
    printed, both streams."""

    code: int | None
    signal: int | None
    timed_out: bool
    flooded: bool
    output: str


class Guarded:
    """One tool, started at once; its output goes to the file `log`. A context manager."""

    def __init__(self, command: Sequence[str], *, cwd: Path, log: Path) -> None:
        self._log = log
        environment = {k: v for k, v in os.environ.items() if k in _KEPT_ENVIRONMENT}
        lifeline, self._lifeline = os.pipe()
        self._status, status = os.pipe()
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                [*_GUARD, str(lifeline), str(status), *command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=cwd,
                env={
                    **environment,
                    "PYTHONPATH": str(_PACKAGE_PARENT),
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                pass_fds=(lifeline, status),
                start_new_session=True,
            )
        for fd in (lifeline, status):
            os.close(fd)

    def __enter__(self) -> Guarded:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def finish(self, deadline: float) -> Ended:
        """Waits for the end, or brings it about at `deadline` (of time.monotonic())."""
        timed_out = flooded = False
        while not (timed_out or flooded):
            try:
                self._process.wait(timeout=_LOOK_S)
                break
            except subprocess.TimeoutExpired:
                timed_out = time.monotonic() >= deadline
                flooded = self._log.stat().st_size > _OUTPUT_LIMIT_BYTES
        code, number = self.stop()
        with self._log.open("rb") as file:
            output = file.read(_OUTPUT_LIMIT_BYTES).decode("utf-8", "replace")
        stopped = timed_out or flooded
        return Ended(None if stopped else code, number, timed_out, flooded, output)

    def stop(self) -> tuple[int | None, int | None]:
        """Ends all that still runs; the tool's exit status and the signal that ended it."""
        if self._lifeline < 0:
            return None, None
        os.close(self._lifeline)
        self._lifeline = -1
        try:
            self._process.wait(timeout=_STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        raw = os.read(self._status, 4096)
        os.close(self._status)
        with contextlib.suppress(ValueError, KeyError, TypeError):
            ended = json.loads(raw)
            return ended["exit"], ended["signal"]
        return None, None
