"""session: one worker process as the grader sees it: start, ask in time, end without trace."""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from camp.grading.arena import Arena

_REPLY_LIMIT_BYTES = 16 << 20
_OUTPUT_LIMIT_BYTES = 1 << 20
_OUTPUT_SHOWN_BYTES = 4096
_PACKAGE_PARENT = Path(__file__).resolve().parents[2]
_KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "TMPDIR")


class WorkerGone(Exception):
    """The worker can no longer be used. `text` says why in words."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class WorkerDied(WorkerGone):
    """It ended on its own, or what it said cannot be trusted."""


class WorkerHung(WorkerGone):
    """It gave no answer in time."""


class Session:
    """Starts a worker at once; its library is loaded by the first request.

    The worker runs in its own session with a cleared environment, no terminal and no input; its
    output goes to memory. Use as a context manager, or call close(): no process outlives it.
    """

    def __init__(self, arena: Arena, *, simulated: bool = True) -> None:
        self.arena = arena
        self._buffer = bytearray()
        self._shown = 0
        self._output = os.memfd_create("camp-output")
        os.set_inheritable(self._output, True)
        request, self._request = os.pipe()
        self._reply, reply = os.pipe()
        lifeline, self._lifeline = os.pipe()
        self._status, status = os.pipe()
        config = {
            "lifeline": lifeline,
            "status": status,
            "request": request,
            "reply": reply,
            "arena": arena.fd,
            "output": self._output,
            "data_bytes": _data_limit(arena.size_bytes) if simulated else 0,
            "file_bytes": _OUTPUT_LIMIT_BYTES if simulated else 4 << 30,
            "cpu_s": 3600,
        }
        theirs = (lifeline, status, request, reply)
        environment = {k: v for k, v in os.environ.items() if k in _KEPT_ENVIRONMENT}
        environment["PYTHONPATH"] = str(_PACKAGE_PARENT)
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-m", "camp.worker", json.dumps(config)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._output,
            cwd="/",
            env=environment,
            pass_fds=(*theirs, arena.fd, self._output),
            start_new_session=True,
        )
        for fd in theirs:
            os.close(fd)
        os.set_blocking(self._request, False)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, action: str, timeout_s: float, **arguments: Any) -> dict[str, Any]:
        """Sends one request and waits for its reply. Raises WorkerDied or WorkerHung, after which
        only close() makes sense."""
        nonce = secrets.token_hex(8)
        message = json.dumps({"action": action, "nonce": nonce, **arguments}).encode() + b"\n"
        deadline = time.monotonic() + timeout_s
        self._send(message, deadline)
        line = self._line(deadline)
        try:
            reply = json.loads(line)
            if not isinstance(reply, dict) or reply.pop("nonce") != nonce:
                raise ValueError
        except (ValueError, KeyError, RecursionError):
            raise WorkerDied("the kernel's code wrote into the grader's channel") from None
        return reply

    def output(self) -> str:
        """What the worker printed since the last call, cut, without control characters."""
        size = os.fstat(self._output).st_size
        raw = os.pread(self._output, min(size - self._shown, _OUTPUT_SHOWN_BYTES), self._shown)
        cut = size - self._shown > _OUTPUT_SHOWN_BYTES
        self._shown = size
        text = "".join(c if c.isprintable() or c in "\n\t" else "?" for c in raw.decode("latin-1"))
        return text + ("\n[output cut]" if cut else "")

    def close(self) -> None:
        """Ends the worker and everything it started; waits until it is gone."""
        if self._lifeline < 0:
            return
        for fd in (self._lifeline, self._request):
            os.close(fd)
        self._lifeline = -1
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for fd in (self._reply, self._status, self._output):
            os.close(fd)

    def _send(self, message: bytes, deadline: float) -> None:
        while message:
            try:
                message = message[os.write(self._request, message) :]
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise WorkerHung("the worker does not read its requests") from None
                time.sleep(0.005)
            except OSError:
                raise WorkerDied(self._ending()) from None

    def _line(self, deadline: float) -> bytes:
        poll = select.poll()
        poll.register(self._reply, select.POLLIN | select.POLLHUP)
        poll.register(self._status, select.POLLIN | select.POLLHUP)
        end = self._buffer.find(b"\n")
        while end < 0:
            left = deadline - time.monotonic()
            ready = [fd for fd, _ in poll.poll(max(left, 0) * 1000)]
            if not ready:
                raise WorkerHung("no answer in time")
            if self._reply in ready:
                data = os.read(self._reply, 1 << 20)
                end = data.find(b"\n")
                end += len(self._buffer) if end >= 0 else 0
                self._buffer += data
                if not data:
                    poll.unregister(self._reply)
            elif self._status in ready:
                raise WorkerDied(self._ending())
            if len(self._buffer) > _REPLY_LIMIT_BYTES:
                raise WorkerDied("the kernel's code flooded the grader's channel")
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        if self._buffer:
            raise WorkerDied("the kernel's code wrote into the grader's channel")
        return line

    def _ending(self) -> str:
        """How the worker ended, from the shepherd; waits for it a moment."""
        poll = select.poll()
        poll.register(self._status, select.POLLIN | select.POLLHUP)
        raw = os.read(self._status, 4096) if poll.poll(8000) else b""
        try:
            ended = json.loads(raw)
            number, code, crowd = ended["signal"], ended["exit"], ended["processes"]
        except (ValueError, KeyError, TypeError):
            return "the worker and its shepherd were killed"
        if crowd > 32:
            return f"the kernel's code started {crowd} processes"
        if number is not None:
            return f"the worker died of {_signal_name(number)}"
        return f"the worker ended with exit code {code} before it answered"


def _signal_name(number: int) -> str:
    import signal

    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _data_limit(arena_bytes: int) -> int:
    """Bytes of private memory: the simulator's shadow is a small multiple of the data."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min((2 << 30) + 16 * arena_bytes, total * 3 // 4)
