"""cupy_functions: CuPy, called as cupy_peer(cupy, tensors, attributes)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from camp.bench.peers.outcome import LeftOut, require
from camp.bench.rig import Rig

NAME, FUNCTION = "CuPy", "cupy_peer"


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    cupy: Any = require("cupy")
    if rig.case.dtype == "bf16":
        raise LeftOut("it has no bf16")
    cupy.cuda.Device(rig.device).use()
    cupy.cuda.ExternalStream(rig.stream, rig.device).use()
    sets = [
        {name: cupy.asarray(array) for name, array in rig.tensors(index).items()}
        for index in range(rig.count)
    ]

    def call(index: int) -> Any:
        return function(cupy, sets[index], rig.attributes)

    return call
