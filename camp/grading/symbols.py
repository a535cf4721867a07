"""symbols: program counters of a report to lines, through camp.simulator.symbolize, once each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from camp.grading.faults import Location

Counter = tuple[str, int]


def no_symbols(counters: Sequence[Counter]) -> Mapping[Counter, Location]:
    """Resolves nothing: a verdict needs no line."""
    return {}


class Symbols:
    """Resolves counters of the given modules only; a report could name any file."""

    def __init__(self, *modules: Path) -> None:
        self._modules = {str(module.resolve()): str(module) for module in modules}
        self._known: dict[Counter, Location | None] = {}

    def __call__(self, counters: Sequence[Counter]) -> Mapping[Counter, Location]:
        fresh = sorted({c for c in counters if c not in self._known and self._is_ours(c)})
        if fresh:
            self._resolve(fresh)
        found = {c: self._known.get(c) for c in counters}
        return {c: place for c, place in found.items() if place is not None}

    def _is_ours(self, counter: Counter) -> bool:
        return str(Path(counter[0]).resolve()) in self._modules

    def _resolve(self, counters: Sequence[Counter]) -> None:
        from camp.simulator.symbolize import symbolize

        places = symbolize([(Path(module), offset) for module, offset in counters])
        for counter, place in zip(counters, places, strict=True):
            self._known[counter] = (
                Location(place.file, place.line, place.function) if place is not None else None
            )
