"""advice: from counters to one-sentence suggestions, each with its line and where its rule is from.

A rule is a function from a call's counters to findings. The rules stand in rules_memory.py and
rules_launch.py; every one has a kernel that makes it speak and a twin that leaves it silent under
tests/counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from camp.counters.counts import Place
from camp.counters.gpus import Gpu
from camp.counters.model import Counters


@dataclass(frozen=True)
class Finding:
    """One place where a rule applies. share: what it wastes of the call, [0, 1]; 0 where that
    cannot be told from counters."""

    kernel: str
    place: Place
    text: str
    share: float = 0.0


@dataclass(frozen=True)
class Rule:
    """name: for JSON and tests. source: the guide and chapter that explain it."""

    name: str
    source: str
    find: Callable[[Counters, Gpu], Iterable[Finding]]


@dataclass(frozen=True)
class Suggestion:
    """A finding and its rule."""

    rule: Rule
    finding: Finding


def suggest(counters: Counters, gpu: Gpu) -> list[Suggestion]:
    """What to change, the largest waste first; what is not measured as waste comes last."""
    from camp.counters.rules_launch import LAUNCH_RULES
    from camp.counters.rules_memory import MEMORY_RULES

    found = [
        Suggestion(rule, finding)
        for rule in (*MEMORY_RULES, *LAUNCH_RULES)
        for finding in rule.find(counters, gpu)
    ]
    return sorted(found, key=lambda suggestion: -suggestion.finding.share)
