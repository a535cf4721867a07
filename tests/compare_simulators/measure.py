"""measure: runs a program on chosen cores and tells what it took."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from camp.errors import CampError


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and seconds of processor time of all threads. Where a program tells them
    (else 0): the seconds that its threads were ready while other programs had the core, and the
    most memory it held at once."""

    wall_s: float
    cpu_s: float
    waited_s: float = 0.0
    peak_bytes: int = 0

    def times(self, factor: float) -> Cost:
        return replace(
            self,
            wall_s=self.wall_s * factor,
            cpu_s=self.cpu_s * factor,
            waited_s=self.waited_s * factor,
        )

    def less(self, other: Cost) -> Cost:
        return replace(self, wall_s=self.wall_s - other.wall_s, cpu_s=self.cpu_s - other.cpu_s)


@dataclass(frozen=True)
class Ran:
    """A finished program: its output and what the whole process took."""

    output: str
    errors: str
    cost: Cost


def run(
    command: Sequence[str | Path],
    cores: Collection[int],
    *,
    folder: Path,
    environment: dict[str, str] | None = None,
) -> Ran:
    """Runs `command` in `folder` on `cores` alone. Raises CampError when it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **(environment or {})},
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
        capture_output=True,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip()[-2000:]
        raise CampError(f"{command[0]} ended with {done.returncode}: {tail}")
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Ran(done.stdout, done.stderr, Cost(wall, cpu))


def parse_cost(line: str) -> Cost:
    """The cost that a program printed of its launch alone, as one line of JSON."""
    values = json.loads(line)
    return Cost(
        values["wall_s"],
        values["cpu_s"],
        values.get("waited_s", 0.0),
        1024 * values.get("peak_kilobytes", 0),
    )
