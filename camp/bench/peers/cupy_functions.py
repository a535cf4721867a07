"""cupy_functions: CuPy, called as cupy_peer(cupy, tensors, attributes)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from camp.bench.peers.outcome import LeftOut, require
from camp.bench.rig import DeviceArray, Rig

NAME, FUNCTION = "CuPy", "cupy_peer"


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    cupy: Any = require("cupy")
    cupy.cuda.Device(rig.device).use()
    # CuPy forgets a stream that nobody holds, and goes back to the default stream.
    stream = cupy.cuda.ExternalStream(rig.stream, rig.device)
    sets = [
        {name: _view(cupy, array) for name, array in rig.tensors(index).items()}
        for index in range(rig.count)
    ]

    def call(index: int) -> Any:
        with stream:
            return function(cupy, sets[index], rig.attributes)

    return call


def _view(cupy: Any, array: DeviceArray) -> Any:
    found = cupy.asarray(array)
    if array.dtype != "bf16":
        return found
    import ml_dtypes

    try:
        return found.view(ml_dtypes.bfloat16)
    except TypeError as error:  # before CuPy 14
        raise LeftOut("this version of it has no bf16") from error
