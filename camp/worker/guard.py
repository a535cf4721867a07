"""guard: runs a tool that itself starts learner code, and leaves no process of either behind.

`python -S -m camp.worker.guard LIFELINE STATUS COMMAND...` starts the command in a session of its
own. It ends all of it when the command exits, or when the pipe LIFELINE closes (a caller that is
gone, even by SIGKILL). Then it writes how the command ended to STATUS, as the shepherd does.
"""

from __future__ import annotations

import json
import os
import resource
import sys

from camp.worker import limits, shepherd


def main(lifeline: int, status: int, command: list[str]) -> int:
    """Runs one command to its end."""
    limits.adopt_orphans()
    woken = shepherd.wake_on_child()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            _become(command, parent, (lifeline, status, woken))
        finally:
            os._exit(127)
    ended = shepherd.watch(child, lifeline, woken)
    shepherd.end_all()
    os.write(status, json.dumps(ended).encode() + b"\n")
    return 0


def _become(command: list[str], parent: int, descriptors: tuple[int, ...]) -> None:
    shepherd.stay_asleep()
    for descriptor in descriptors:
        os.close(descriptor)
    os.setsid()
    limits.die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.execvp(command[0], command)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
