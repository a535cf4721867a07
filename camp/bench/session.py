"""session: the benchmark worker as its parent sees it: start, ask, read an output, end it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import camp.errors
from camp.bench.data import Storage, rows_shape, storage_dtype
from camp.errors import CampError, KernelFault

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]


class WorkerSession:
    """One worker process. A context manager: no process outlives it.

    Everything that the worker prints goes to this process's stderr.
    """

    def __init__(self, request: dict[str, Any]) -> None:
        self._arena = os.memfd_create("camp-bench")
        ours, theirs = socket.socketpair()
        self._channel = ours
        self._buffer = b""
        search = os.pathsep.join(
            [str(_PACKAGE_PARENT), *filter(None, [os.environ.get("PYTHONPATH")])]
        )
        self._process = subprocess.Popen(
            [sys.executable, "-m", "camp.bench.worker", str(theirs.fileno()), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=2,
            pass_fds=(theirs.fileno(), self._arena),
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": search},
        )
        theirs.close()
        try:
            self.ask(60.0, arena=self._arena, **request)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> WorkerSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def ask(self, timeout_s: float, **message: Any) -> dict[str, Any]:
        """Sends one request and waits for its answer.

        Raises the error the worker met, or KernelFault when it died or gave no answer in time.
        """
        try:
            self._channel.sendall((json.dumps(message) + "\n").encode())
            answer: dict[str, Any] = json.loads(self._line(time.monotonic() + timeout_s))
        except (OSError, ValueError):
            raise KernelFault(self._ending(timeout_s)) from None
        if "error" in answer:
            raise _revive(answer)
        return answer

    def outputs(self, dtype: str, shape: tuple[int, ...], rows: Sequence[slice]) -> list[Storage]:
        """The leading rows of an output that the last request left in the arena, range by range."""
        import numpy as np

        found, offset = [], 0
        for part in rows:
            values = np.empty(rows_shape(shape, part), dtype=storage_dtype(dtype))
            view = values.reshape(-1).view("u1").data if values.nbytes else memoryview(b"")
            while len(view):
                count = os.preadv(self._arena, [view[: 1 << 30]], offset)
                if count == 0:
                    raise KernelFault("the worker returned less output than the case has")
                view, offset = view[count:], offset + count
            found.append(values)
        return found

    def close(self) -> None:
        """Ends the worker and its process group."""
        if self._arena < 0:
            return
        self._channel.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._arena)
        self._arena = -1

    def _line(self, deadline: float) -> bytes:
        while b"\n" not in self._buffer:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self._channel.settimeout(left)
            data = self._channel.recv(1 << 20)
            if not data:
                raise ConnectionResetError
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line

    def _ending(self, timeout_s: float) -> str:
        """Why there is no answer."""
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            return f"the kernel gave no result within {timeout_s:.0f} s"
        if code < 0:
            return f"the worker that ran the kernel died of {signal.Signals(-code).name}"
        return f"the worker that ran the kernel ended with exit code {code}"


def _revive(answer: dict[str, Any]) -> CampError:
    """The error that the worker named, as the same class of this process."""
    kind = getattr(camp.errors, str(answer["kind"]), CampError)
    options: dict[str, Any] = {"hint": answer.get("hint")}
    if answer.get("status"):
        options["status"] = answer["status"]
    try:
        error = kind(answer["error"], **options)
    except TypeError:
        error = CampError(answer["error"], hint=answer.get("hint"))
    assert isinstance(error, CampError)
    return error
