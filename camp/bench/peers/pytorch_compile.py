"""pytorch_compile: torch_peer compiled by torch.compile, which fuses and tunes it for the shape."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from camp.bench.peers.outcome import require
from camp.bench.peers.pytorch import on_stream, views
from camp.bench.rig import Rig

NAME, FUNCTION = "torch.compile", "torch_peer"


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    # Set before torch is imported: it would otherwise start a pool of compiler processes.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    torch = on_stream(rig)
    require("triton")
    sets, names = views(torch, rig), list(rig.case.shapes)

    def work(*tensors: Any) -> None:
        function(torch, dict(zip(names, tensors, strict=True)), rig.attributes)

    torch.compiler.reset()  # a case compiled before has no say in this one
    compiled = torch.compile(work, dynamic=False, fullgraph=True)

    def call(index: int) -> None:
        compiled(*sets[index].values())

    return call
