"""limits: what the worker may use of the machine, and how it is tied to its shepherd."""

from __future__ import annotations

import ctypes
import os
import resource
import signal

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def die_with_parent(parent: int) -> None:
    """SIGKILL for this process when its parent dies; at once if it already has."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def adopt_orphans() -> None:
    """Orphaned descendants become children of this process, so that none can slip away."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(kind, (value, value))


def apply(*, data_bytes: int, file_bytes: int, cpu_s: int) -> None:
    """No core files, a bound on private memory, on the size of files, on CPU seconds, on open files
    and on processes (which Linux does not hold against root)."""
    _lower(resource.RLIMIT_CORE, 0)
    if data_bytes:
        _lower(resource.RLIMIT_DATA, data_bytes)
    _lower(resource.RLIMIT_FSIZE, file_bytes)
    _lower(resource.RLIMIT_CPU, cpu_s)
    _lower(resource.RLIMIT_NOFILE, 1024)
    with open("/proc/loadavg", encoding="ascii") as file:
        tasks = int(file.read().split()[3].split("/")[1])
    # The limit counts all of the user's threads: leave room for what already runs.
    _lower(resource.RLIMIT_NPROC, tasks + 256)
