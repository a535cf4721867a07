"""pytorch: torch's own operators, called as torch_peer(torch, tensors, attributes)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from camp.bench.peers.outcome import LeftOut, require
from camp.bench.rig import DeviceArray, Rig

NAME, FUNCTION = "torch", "torch_peer"


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    torch = on_stream(rig)
    sets = views(torch, rig)

    def call(index: int) -> Any:
        return function(torch, sets[index], rig.attributes)

    return call


def on_stream(rig: Rig) -> Any:
    """The module torch, set to enqueue on the rig's stream. Raises LeftOut without CUDA in it."""
    torch: Any = require("torch")
    if not torch.cuda.is_available():
        raise LeftOut("the installed torch finds no CUDA device")
    stream = torch.cuda.ExternalStream(rig.stream, device=torch.device("cuda", rig.device))
    torch.cuda.set_stream(stream)
    return torch


def views(torch: Any, rig: Rig) -> list[dict[str, Any]]:
    """The tensors of every set as torch sees them, without a copy."""
    return [
        {name: _view(torch, rig.device, array) for name, array in rig.tensors(index).items()}
        for index in range(rig.count)
    ]


def _view(torch: Any, device: int, array: DeviceArray) -> Any:
    tensor = torch.as_tensor(array, device=torch.device("cuda", device))
    return tensor.view(torch.bfloat16) if array.dtype == "bf16" else tensor
