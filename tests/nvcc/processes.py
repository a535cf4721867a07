"""processes: what is left of a process group."""

from __future__ import annotations

import os
import time


def is_gone(group: int, within_s: float = 10.0) -> bool:
    """Whether no process of the group lives, or none does before long."""
    deadline = time.monotonic() + within_s
    while _living(group):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def _living(group: int) -> bool:
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()  # state, parent, group, ...
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            return True
    return False
