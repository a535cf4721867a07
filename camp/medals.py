"""medals: what the numbers of one run earn. Numbers in, a medal out; nothing is read or stored.

The speed medal is of a GPU: the lowest share of the measured ceiling over the medal cases that
op.toml names, against the targets there. The traffic medal is of the simulator: the lowest share of
moved bytes that had to be moved over all cases, and the bank conflicts. One is no evidence for the
other, so they are earned, stored and shown apart.

A medal is of one run of one kernel file: the worst case counts, and a case that is missing or was
not valid leaves no medal. The best of many runs would reward luck.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MEDALS = ("bronze", "silver", "gold")
SPEED, TRAFFIC = "speed", "traffic"

# The same for every operator, because bytes are exact. Gold: what has to be moved and hardly more.
# Silver: one more pass over the input of a row-wise operator, 3 units moved where 2 are needed.
# Bronze: two more passes, 4 where 2 are needed.
TRAFFIC_TARGETS: Mapping[str, float] = {"bronze": 45.0, "silver": 65.0, "gold": 95.0}
# The most wavefronts of shared memory that may be conflicts, in percent of all.
CONFLICT_LIMITS: Mapping[str, float] = {"bronze": 100.0, "silver": 20.0, "gold": 1.0}


@dataclass(frozen=True)
class Traffic:
    """One counted case: bytes, and wavefronts of shared memory with those that were conflicts."""

    minimum_bytes: int
    moved_bytes: int
    wavefronts: int = 0
    conflicts: int = 0

    @property
    def percent(self) -> float:
        """The minimum as a share of what was moved; 100 where nothing was."""
        return 100.0 * self.minimum_bytes / self.moved_bytes if self.moved_bytes else 100.0

    @property
    def conflict_percent(self) -> float:
        return 100.0 * self.conflicts / self.wavefronts if self.wavefronts else 0.0


@dataclass(frozen=True)
class Earned:
    """What a run earned. medal: None below bronze. percent: the share that decided, of `case`.
    why_not: with it there is no judgement, and this sentence says what was missing."""

    kind: str
    medal: str | None = None
    percent: float | None = None
    case: str = ""
    why_not: str = ""

    @property
    def judged(self) -> bool:
        return not self.why_not


def medal_of(percent: float, targets: Mapping[str, float]) -> str | None:
    """The best medal whose target `percent` reaches; a share equal to a target reaches it."""
    reached = [name for name in MEDALS if name in targets and percent >= targets[name]]
    return reached[-1] if reached else None


def rank(medal: str | None) -> int:
    """0 for no medal, more for better ones."""
    return 0 if medal is None else 1 + MEDALS.index(medal)


def next_target(medal: str | None, targets: Mapping[str, float]) -> tuple[str, float] | None:
    """The medal after `medal` and its target; None after the last."""
    beyond = MEDALS[rank(medal) :]
    return next(((name, targets[name]) for name in beyond if name in targets), None)


def speed(
    targets: Mapping[str, float],
    cases: Sequence[str],
    shares: Mapping[str, float],
    skipped: Sequence[str] = (),
) -> Earned:
    """The speed medal of a run. `shares`: case -> percent of the ceiling of its own kind, of valid
    measurements. `skipped`: cases that this device has no memory for; they do not count as long as
    another medal case does."""
    counted = [case for case in cases if case not in skipped]
    missing = [case for case in counted if case not in shares]
    if not targets or not cases:
        return Earned(SPEED, why_not="op.toml names no targets or no medal cases")
    if not counted:
        return Earned(SPEED, why_not="every medal case was skipped")
    if missing:
        return Earned(SPEED, why_not=f"no valid measurement of {', '.join(missing)} in this run")
    case = min(counted, key=lambda name: shares[name])
    return Earned(SPEED, medal_of(shares[case], targets), shares[case], case)


def traffic(cases: Mapping[str, Traffic], missing: Sequence[str] = ()) -> Earned:
    """The traffic medal of a run: the worst medal among its cases. `missing`: cases that were not
    counted, or whose output was wrong."""
    if missing:
        return Earned(TRAFFIC, why_not=f"no valid count of {', '.join(missing)} in this run")
    if not cases:
        return Earned(TRAFFIC, why_not="nothing was counted")
    worst = min(cases, key=lambda name: (rank(_traffic_medal(cases[name])), cases[name].percent))
    return Earned(TRAFFIC, _traffic_medal(cases[worst]), cases[worst].percent, worst)


def _traffic_medal(counted: Traffic) -> str | None:
    reached = [
        name
        for name in MEDALS
        if counted.percent >= TRAFFIC_TARGETS[name]
        and counted.conflict_percent <= CONFLICT_LIMITS[name]
    ]
    return reached[-1] if reached else None
