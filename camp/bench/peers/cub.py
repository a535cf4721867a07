"""cub: CUB of the CUDA toolkit, called as cub_peer(cub, tensors, attributes).

`cub(arrays, extents, attributes)` enqueues what native/bench/cub/<op>.cu offers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from camp.bench.gpu import Region
from camp.bench.library import CubLibrary
from camp.bench.peers.outcome import LeftOut
from camp.bench.rig import DeviceArray, Rig

NAME, FUNCTION = "CUB", "cub_peer"


class Cub:
    """One operator by CUB, on the rig's stream. Its temporary storage is asked for once."""

    def __init__(self, rig: Rig, library: CubLibrary) -> None:
        self._rig, self._library = rig, library
        self._workspace: Region | None = None

    def __call__(
        self,
        arrays: Sequence[DeviceArray],
        extents: Sequence[int],
        attributes: Sequence[float] = (),
    ) -> None:
        stream = self._rig.stream
        if self._workspace is None:  # the same for all sets: they differ in addresses alone
            needed = self._library(arrays, extents, attributes, 0, 0, stream)
            self._workspace = self._rig.region(max(1, needed))
        workspace = self._workspace
        self._library(arrays, extents, attributes, workspace.slot(0), workspace.slot_bytes, stream)


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    library = rig.libraries.cub
    if library is None:
        raise LeftOut(rig.libraries.problems.get("cub", "it is not built"))
    if rig.case.dtype not in ("f32", "f16", "bf16"):
        raise LeftOut(f"it is not compiled for {rig.case.dtype}")
    cub = Cub(rig, library)
    sets = [rig.tensors(index) for index in range(rig.count)]

    def call(index: int) -> Any:
        return function(cub, sets[index], rig.attributes)

    return call
