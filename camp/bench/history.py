"""history: what is kept of a run, and how it compares with the last one of the same kind.

Two measurements differ only where their intervals p10..p90 do not touch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from camp.bench.results import BenchResult, Outcome
from camp.progress import Benchmark

FASTER, SLOWER, SAME = "faster", "slower", "no change"


@dataclass(frozen=True)
class Change:
    """A measurement beside the last valid one of the same operator, case, backend and device."""

    verdict: str
    before: Benchmark
    now: Benchmark

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "before_us": {
                "median": self.before.median_us,
                "p10": self.before.p10_us,
                "p90": self.before.p90_us,
            },
            "before_made_at": self.before.made_at,
            "before_git_commit": self.before.git_commit,
        }


def compare(before: Benchmark, now: Benchmark) -> str:
    """ "faster", "slower", or "no change" where the intervals p10..p90 touch."""
    if now.p90_us < before.p10_us:
        return FASTER
    return SLOWER if before.p90_us < now.p10_us else SAME


def rows(
    result: BenchResult, *, made_at: str, kernel_hash: str, git_commit: str | None
) -> list[Benchmark]:
    """What is stored of a run: the cases that were timed and valid, from cold buffers."""
    found = []
    for case in result.cases:
        percent = case.percent_of_ceiling
        if case.outcome is not Outcome.OK or case.kernel is None or percent is None or case.hot:
            continue
        summary = case.kernel.summary
        found.append(
            Benchmark(
                operator=result.op,
                backend=result.backend,
                case_name=case.case.name,
                made_at=made_at,
                kernel_hash=kernel_hash,
                device=device_name(result),
                median_us=summary.median,
                p10_us=summary.p10,
                p90_us=summary.p90,
                samples=summary.n,
                minimum_bytes=case.case.minimum_bytes,
                ceiling_percent=percent,
                ceiling_kind=case.ceiling_kind,
                driver=driver(result),
                git_commit=git_commit,
                best_peer=case.best_peer,
                times_best_peer=case.times_best_peer,
            )
        )
    return found


def changes(stored: Iterable[Benchmark], new: Sequence[Benchmark]) -> dict[str, Change]:
    """Case name -> what became of it since the last of `stored` (oldest first) that is its like;
    without one the case is not there."""
    last = {_likeness(row): row for row in stored}
    return {
        row.case_name: Change(compare(last[_likeness(row)], row), last[_likeness(row)], row)
        for row in new
        if _likeness(row) in last
    }


def by_case(stored: Sequence[Benchmark]) -> Mapping[str, list[tuple[Benchmark, str | None]]]:
    """Case name -> its measurements, oldest first, each with what became of it since the one
    before on the same device; None for the first. Cases in the order of the latest run."""
    found: dict[str, list[tuple[Benchmark, str | None]]] = {}
    last: dict[tuple[str, ...], Benchmark] = {}
    for row in stored:
        before = last.get(_likeness(row))
        change = None if before is None else compare(before, row)
        found.setdefault(row.case_name, []).append((row, change))
        last[_likeness(row)] = row
    latest = [row.case_name for row in stored if row.made_at == stored[-1].made_at]
    return {name: found[name] for name in [*latest, *(n for n in found if n not in latest)]}


def device_name(result: BenchResult) -> str:
    return str(result.device.get("name", ""))


def driver(result: BenchResult) -> str | None:
    """The driver's version, where the conditions of the run name it."""
    found = result.conditions.get("driver")
    return str(found) if found else None


def _likeness(row: Benchmark) -> tuple[str, ...]:
    return (row.operator, row.case_name, row.backend, row.device)
