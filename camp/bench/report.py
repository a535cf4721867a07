"""report: a measured operator with what it earned and what became of it since the last run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from camp import medals
from camp.bench.history import Change
from camp.bench.results import BenchResult, Outcome
from camp.counters.model import Counters
from camp.medals import Earned, Traffic
from camp.spec import OpSpec


@dataclass(frozen=True)
class BenchReport:
    """One operator's run. is_own: whether it is of the learner's own kernel file; only then it is
    remembered, and there are changes, by case name, since what was remembered."""

    result: BenchResult
    spec: OpSpec
    earned: Earned
    is_own: bool = True
    changes: Mapping[str, Change] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        document = self.result.to_json()
        for case in document["cases"]:
            change = self.changes.get(case["case"])
            case["since_last"] = change.to_json() if change else None
        earned = self.earned
        return {
            **document,
            "medal": {
                "kind": earned.kind,
                "medal": earned.medal,
                "percent": earned.percent,
                "case": earned.case or None,
                "why_not": earned.why_not or None,
                "kept": self.is_own and earned.judged,
            },
        }


def earned(result: BenchResult, spec: OpSpec, all_cases: Iterable[str]) -> Earned:
    """The medal of a run: of speed on a GPU, of traffic on the simulator, there with every one of
    `all_cases` counted."""
    if result.backend == "sim":
        counted = {
            case.case.name: traffic_of(case.counters)
            for case in result.cases
            if case.outcome is Outcome.OK and case.counters is not None
        }
        missing = [name for name in all_cases if name not in counted]
        return medals.traffic(counted, missing)
    wrong = [c.case.name for c in result.cases if c.outcome in (Outcome.WRONG, Outcome.FAULT)]
    if wrong:
        return Earned(medals.SPEED, why_not=f"{', '.join(wrong)} did not give the right output")
    if any(case.hot for case in result.cases):
        return Earned(medals.SPEED, why_not="hot buffers say nothing of the memory")
    shares = {
        case.case.name: case.percent_of_ceiling
        for case in result.cases
        if case.outcome is Outcome.OK and case.percent_of_ceiling is not None
    }
    skipped = [case.case.name for case in result.cases if case.outcome is Outcome.SKIPPED]
    return medals.speed(spec.targets, spec.medal_cases, shares, skipped)


def traffic_of(counters: Counters) -> Traffic:
    """What the traffic medal looks at."""
    return Traffic(
        counters.minimum_bytes,
        counters.in_global.moved_bytes,
        counters.in_shared.wavefronts,
        counters.in_shared.bank_conflicts,
    )
