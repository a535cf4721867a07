"""run: kernels on the simulator: one program for many, under several schedules."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camp.simulator.symbolize import symbolize
from tests.simulator.fuzz.compare import Observation, Report, differences
from tests.simulator.fuzz.emit import program
from tests.simulator.fuzz.interpret import Machine
from tests.simulator.fuzz.language import Kernel, Statement
from tests.simulator.harness import compile_program

FOLDER = Path(__file__).parent
# (schedule seed, host threads)
SCHEDULES = ((0, 1), (7, 1), (2, 2), (0xB5C3, 2))


@dataclass
class Batch:
    """A compiled program of several kernels."""

    kernels: list[Kernel]
    line_of: dict[Statement, int]
    source: Path
    executable: Path


def compile_batch(kernels: list[Kernel], runtime: Path, folder: Path, name: str) -> Batch:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fuzz.cuh").write_text((FOLDER / "fuzz.cuh").read_text())
    source = folder / f"{name}.cu"
    text, line_of = program(kernels)
    source.write_text(text)
    return Batch(kernels, line_of, source, compile_program(source, runtime, folder))


class Lines:
    """Lines of sites, asked of the debug information once a place."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, int], int] = {}

    def learn(self, reports: Iterable[dict[str, Any]]) -> None:
        places = {
            (site["module"], site["offset"])
            for report in reports
            for fault in report["faults"]
            for site in (fault.get("site"), fault.get("other_site"))
            if site and "module" in site
        }
        wanted = sorted(places - set(self.known))
        for key, place in zip(wanted, symbolize([(Path(m), o) for m, o in wanted]), strict=True):
            self.known[key] = place.line if place is not None else 0

    def of(self, site: dict[str, Any] | None) -> int | None:
        if not site:
            return None
        return site["line"] if "line" in site else self.known[site["module"], site["offset"]]


class Crash(Exception):
    """The program did not come to its end."""


def observe(
    batch: Batch, schedule: tuple[int, int], only: int | None = None, timeout: float = 300
) -> dict[int, Observation]:
    """Runs the program; observations by the kernel's number. Crash when it does not end well."""
    seed, workers = schedule
    command = [str(batch.executable), str(seed), str(workers)]
    command += [] if only is None else [str(only)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, errors="replace"
    )
    observations: dict[int, Observation] = {}
    reports: dict[int, dict[str, Any]] = {}
    number = -1
    for line in done.stdout.splitlines():
        if line.startswith("kernel "):
            number = int(line.split()[1])
            observations[number] = Observation({})
        elif line.startswith("{"):
            reports[number] = json.loads(line)
        else:
            name, _, digits = line.partition(" ")
            observations[number].bytes[name] = bytes.fromhex(digits)
    if done.returncode != 0 or set(reports) != set(observations):
        raise Crash(f"kernel {number}: exit code {done.returncode}: {done.stderr[-500:]}")
    lines = Lines()
    lines.learn(reports.values())
    for number, report in reports.items():
        for fault in report["faults"]:
            named = {lines.of(fault.get("site")), lines.of(fault.get("other_site"))} - {None}
            observations[number].reports.append(
                Report(fault["kind"], frozenset(line for line in named if line is not None))
            )
    return observations


def check_batch(
    batch: Batch,
    machines: Sequence[Machine],
    schedules: Sequence[tuple[int, int]] = SCHEDULES,
) -> list[tuple[int, tuple[int, int], str]]:
    """Every difference: kernel's number, schedule, words."""
    wrong = []
    for schedule in schedules:
        seen = observe(batch, schedule)
        for number, (kernel, machine) in enumerate(zip(batch.kernels, machines, strict=True)):
            for words in differences(kernel, machine, seen[number], batch.line_of):
                wrong.append((number, schedule, words))
    return wrong
