"""places: which line of the kernel file an instruction of a report belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from camp.counters.counts import Place
from camp.simulator.symbolize import Frame, symbolize

Site = Mapping[str, Any]


class Places:
    """Resolves sites of a report: {"module", "offset"}, {"file", "line"} or both.

    Only offsets into `modules` are looked up; a report could name any file.
    """

    def __init__(self, kernel: Path, modules: Iterable[Path], sites: Iterable[Site | None]) -> None:
        self._kernel = os.path.realpath(kernel)
        known = {str(module.resolve()): module for module in modules}
        wanted = {}
        for site in sites:
            key = _counter(site)
            if key is not None and str(Path(key[0]).resolve()) in known:
                wanted[key] = (Path(key[0]), key[1])
        found = symbolize(list(wanted.values()))
        self._frames = {
            key: place.frames for key, place in zip(wanted, found, strict=True) if place is not None
        }

    def __call__(self, site: Site | None) -> tuple[Place, Place]:
        """(the line it counts for, its own line)."""
        key = _counter(site)
        frames = self._frames.get(key, ()) if key is not None else ()
        chain = [_place(frame) for frame in frames if not frame.is_ours]
        if site and site.get("file"):
            chain.insert(0, Place(str(site["file"]), int(site["line"])))
        if not chain:
            return Place(), Place()
        mine = (place for place in chain if os.path.realpath(place.file) == self._kernel)
        return next(mine, chain[0]), chain[0]


def _place(frame: Frame) -> Place:
    return Place(frame.file, frame.line)


def _counter(site: Site | None) -> tuple[str, int] | None:
    if not site or "module" not in site:
        return None
    return str(site["module"]), int(site["offset"])
