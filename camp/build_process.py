"""build_process: runs cmake and ninja so that progress is seen as it happens and Ctrl-C stops all
of it, and keeps two builds of one folder apart."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from camp.errors import StorageError, ToolchainError

_LEAST_FREE_BYTES = 1 << 20  # less than the smallest library takes
LOCK_NAME = ".camp-lock"  # also marks a folder as a build of Camp
_PROGRESS = re.compile(r"\[(\d+)/(\d+)\] (.*)")


@dataclass(frozen=True)
class BuildEvent:
    """A step of a build. `kind` is wait, configure, compile or done; done of total steps, text of
    it."""

    kind: str
    done: int
    total: int
    text: str


Progress = Callable[[BuildEvent], None]


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    on_line: Callable[[str], None] = lambda line: None,
) -> tuple[int, str]:
    """Runs a program; its exit status and output (both streams).

    On Ctrl-C the whole process group is stopped before KeyboardInterrupt goes on.
    """
    try:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # Ctrl-C reaches it through us alone
        )
    except OSError as error:
        raise ToolchainError(f"cannot run {command[0]}: {error.strerror or error}") from error
    lines: list[str] = []
    try:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            on_line(line.rstrip("\n"))
        status = process.wait()
    except BaseException:
        _stop(process)
        raise
    return status, "".join(lines)


def _stop(process: subprocess.Popen[str]) -> None:
    """Interrupts, so that ninja removes half-written files, then kills what is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGINT)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=3.0)
    # Compilers run in process groups of their own, all in the session that started with ninja.
    deadline = time.monotonic() + 3.0
    while members := _session_members(process.pid):
        for member in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(member, signal.SIGKILL)
        process.poll()
        if time.monotonic() > deadline:
            break
        time.sleep(0.01)


def _session_members(session: int) -> list[int]:
    """Living processes of a session."""
    members: list[int] = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                    fields = file.read().rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] not in "ZX":
                    members.append(int(entry))
    return members


def compile_event(line: str) -> BuildEvent | None:
    """The event of one line of ninja's output, such as "[3/8] Linking ...", or None."""
    match = _PROGRESS.match(line)
    return BuildEvent("compile", int(match[1]), int(match[2]), match[3]) if match else None


@contextlib.contextmanager
def locked(folder: Path, progress: Progress | None) -> Iterator[None]:
    """Holds the build folder against other processes, creating it first. Raises StorageError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise storage_problem(folder, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if progress:
                progress(BuildEvent("wait", 0, 0, f"another camp is building in {folder}"))
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:  # a file system without locks: two builds at once are the user's risk
            pass
        yield
    finally:
        os.close(descriptor)


def disk_is_full(folder: Path, output: str) -> bool:
    """Whether a tool that failed did so for want of room. Not every tool says so: CMake may end
    well after a file that it could not write."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return False
    return "No space left on device" in output or free < _LEAST_FREE_BYTES


def storage_problem(folder: Path, error: OSError) -> StorageError:
    """The sentence for a file that cannot be written in the build folder."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageError(
            f"the disk is full: cannot write in {folder}",
            hint="free some space; nothing that was built is lost",
        )
    reason = error.strerror or str(error)
    return StorageError(
        f"cannot write the build folder {folder}: {reason}",
        hint="set BUILD_DIR to a folder you can write",
    )
