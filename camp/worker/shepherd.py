"""shepherd: stands between the grader and the worker and leaves no process behind.

It forks the worker, adopts whatever that leaves orphaned, and ends all of it when the worker exits,
when the grader says so, or when the grader is gone (the lifeline pipe closes, even on SIGKILL).
Then it writes how the worker ended as one JSON line, and exits when it is childless.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import time
from dataclasses import dataclass

from camp.worker import limits

# A worker starts threads, not processes; this many descendants are a fork bomb.
PROCESS_LIMIT = 32
_LOOK_MS = 100


@dataclass(frozen=True)
class Config:
    """File descriptors (inherited) and limits, as the grader passes them in argv."""

    lifeline: int  # read end; anything to read, or its end, means: end the worker
    status: int  # write end; one JSON line when the worker has ended
    request: int
    reply: int
    arena: int
    output: int  # where stdout and stderr of the worker go
    data_bytes: int
    file_bytes: int
    cpu_s: int


def run(config: Config) -> int:
    """Runs one worker to its end."""
    limits.adopt_orphans()
    woken = wake_on_child()
    shepherd = os.getpid()
    worker = os.fork()
    if worker == 0:
        stay_asleep()
        for fd in (config.lifeline, config.status, woken):
            os.close(fd)
        _become_worker(config, shepherd)
    for fd in (config.request, config.reply, config.arena, config.output):
        os.close(fd)
    ended = watch(worker, config.lifeline, woken)
    end_all()
    os.write(config.status, json.dumps(ended).encode() + b"\n")
    return 0


def wake_on_child() -> int:
    """A file descriptor that can be read whenever a child has ended."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    return woken


def stay_asleep() -> None:
    """Undoes wake_on_child() in a process that was just forked."""
    os.close(signal.set_wakeup_fd(-1))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def _become_worker(config: Config, shepherd: int) -> None:
    os.setsid()  # no terminal to write to, and a group of its own
    limits.die_with_parent(shepherd)
    limits.apply(data_bytes=config.data_bytes, file_bytes=config.file_bytes, cpu_s=config.cpu_s)
    os.dup2(config.output, 1)
    os.dup2(config.output, 2)
    os.close(config.output)
    from camp.worker.serve import serve

    code = 70
    try:
        serve(config.request, config.reply, config.arena)
        code = 0
    finally:
        os._exit(code)


def watch(worker: int, lifeline: int, woken: int) -> dict[str, object]:
    """Waits for the worker's end, or brings it about when the lifeline closes; how it ended."""
    poll = select.poll()
    poll.register(lifeline, select.POLLIN | select.POLLHUP)
    poll.register(woken, select.POLLIN)
    stopped, crowd = False, 0
    while True:
        for fd, _ in poll.poll(_LOOK_MS):
            if fd == woken:
                os.read(woken, 4096)
            else:
                stopped = True
        crowd = max(crowd, len(descendants(os.getpid())))
        if stopped or crowd > PROCESS_LIMIT:
            freeze_and_kill()
        status = _reap(worker)
        if status is not None:
            return {
                "exit": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                "stopped": stopped,
                "processes": crowd,
            }


def _reap(worker: int) -> int | None:
    """Collects every ended child; the worker's status when it is among them."""
    found = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        if pid == worker:
            found = status


def end_all() -> None:
    """Ends every descendant; returns when none is left."""
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        if not freeze_and_kill():
            return
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


def freeze_and_kill() -> int:
    """Stops all descendants until no new one appears, then kills them; how many there were."""
    seen: set[int] = set()
    while True:
        fresh = set(descendants(os.getpid())) - seen
        if not fresh:
            break
        _signal(fresh, signal.SIGSTOP)
        seen |= fresh
    _signal(seen, signal.SIGKILL)
    return len(seen)


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def descendants(root: int) -> list[int]:
    """Process ids below `root`, zombies included."""
    found: list[int] = []
    queue = [root]
    while queue:
        children = _children(queue.pop())
        found += children
        queue += children
    return found


def _children(pid: int) -> list[int]:
    """Children of all threads of a process; [] when it is gone."""
    children: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                children += [int(word) for word in file.read().split()]
    except OSError:
        pass
    return children
