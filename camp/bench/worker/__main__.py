"""__main__: answers requests over a socket until the other end closes."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from typing import Any

from camp.bench.worker.worker import Worker
from camp.errors import CampError
from camp.worker import limits


def main() -> int:
    limits.die_with_parent(int(sys.argv[2]))
    channel = socket.socket(fileno=int(sys.argv[1]))
    lines = channel.makefile("r", encoding="utf-8")
    worker: Worker | None = None
    for line in lines:
        message = json.loads(line)
        try:
            if worker is None:
                worker = Worker(message)
                answer: dict[str, Any] = {}
            else:
                answer = _verb(worker, message["do"])(message)
        except CampError as error:
            answer = {
                "error": error.message,
                "kind": type(error).__name__,
                "status": getattr(error, "status", None),
                "hint": error.hint,
            }
        channel.sendall((json.dumps(answer) + "\n").encode())
    return 0


def _verb(worker: Worker, name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    verbs = {
        "describe": worker.describe,
        "clocks": worker.clocks,
        "time": worker.time,
        "output": worker.output,
        "count": worker.count,
    }
    return verbs[name]


if __name__ == "__main__":
    sys.exit(main())
