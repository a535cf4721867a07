"""places: to which line of the kernel file an instruction or a piece of code belongs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from camp.counters.counts import Place
from camp.simulator.blocks import block_places
from camp.simulator.symbolize import Frame, symbolize

Site = Mapping[str, Any]
_Key = tuple[str, int]


class Places:
    """Resolves sites of a report: {"module", "offset"}, {"file", "line"} or both.

    Only offsets into `modules` are looked up, and only files beside the kernel or under `root` are
    named: a report, or a #line of the kernel, could name any file, whose lines would be shown.
    """

    def __init__(
        self,
        kernel: Path,
        root: Path,
        modules: Iterable[Path],
        accesses: Iterable[Site | None],
        branches: Iterable[Site | None],
    ) -> None:
        self._kernel, self._real = str(kernel), os.path.realpath(kernel)
        self._folders = tuple(
            os.path.join(os.path.realpath(folder), "") for folder in (kernel.parent, root)
        )
        self._modules = {str(module.resolve()): module for module in modules}
        wanted = self._ours(accesses)
        found = symbolize([(self._module(key), key[1]) for key in wanted])
        self._frames = {
            key: place.frames for key, place in zip(wanted, found, strict=True) if place is not None
        }
        self._blocks: dict[_Key, Counter[Place]] = {}
        self._read_blocks(self._ours(branches))

    def access(self, site: Site | None) -> Place:
        """The line that an instruction counts for."""
        key = _key(site)
        chain = _chain(self._frames.get(key, ()) if key is not None else ())
        if site and site.get("file"):
            chain.insert(0, Place(str(site["file"]), int(site["line"])))
        return self._belongs(chain)

    def branch(self, site: Site | None) -> Mapping[Place, int]:
        """Line -> instructions, of the code that is entered at a site."""
        key = _key(site)
        if key is None:
            place = self.access(site)
            return {place: 1} if place else {}
        return self._blocks.get(key, {})

    def _read_blocks(self, keys: Sequence[_Key]) -> None:
        for name in {key[0] for key in keys}:
            offsets = [offset for module, offset in keys if module == name]
            for offset, places in block_places(
                self._modules[str(Path(name).resolve())], offsets
            ).items():
                lines = (self._belongs(_chain(place.frames)) for place in places)
                self._blocks[name, offset] = Counter(line for line in lines if line)

    def _belongs(self, chain: Sequence[Place]) -> Place:
        """The innermost line of the kernel file, else the innermost that may be named."""
        named = [(place, os.path.realpath(place.file)) for place in chain]
        for place, real in named:
            if real == self._real:
                return Place(self._kernel, place.line)
        return next((p for p, real in named if real.startswith(self._folders)), Place())

    def _ours(self, sites: Iterable[Site | None]) -> list[_Key]:
        keys = {key for site in sites if (key := _key(site)) is not None}
        return sorted(key for key in keys if str(Path(key[0]).resolve()) in self._modules)

    def _module(self, key: _Key) -> Path:
        return self._modules[str(Path(key[0]).resolve())]


def _chain(frames: Sequence[Frame]) -> list[Place]:
    """The lines of a call and of those around it, innermost first, without the simulator's own
    and those of the lambda that a launch was translated to."""
    machinery = [number for number, f in enumerate(frames) if "LaunchFrame<" in f.function]
    if machinery:
        of_launch = [n for n in range(machinery[0]) if "{lambda(" in frames[n].function]
        frames = frames[: of_launch[-1]] if of_launch else ()
    return [Place(frame.file, frame.line) for frame in frames if not frame.is_ours]


def _key(site: Site | None) -> _Key | None:
    if not site or "module" not in site:
        return None
    return str(site["module"]), int(site["offset"])
