"""triton_kernels: kernels written in Triton, called as triton_peer(kernels, tensors, attributes).

`kernels` is the module tests/bench/triton/<op>.py and the tensors are torch's.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from camp.bench.peers.outcome import require
from camp.bench.peers.pytorch import on_stream, views
from camp.bench.rig import Rig

NAME, FUNCTION = "Triton", "triton_peer"


def attach(rig: Rig, function: Callable[..., Any]) -> Callable[[int], Any]:
    require("triton")
    torch = on_stream(rig)  # Triton launches on torch's stream
    kernels = _load(Path(str(rig.module.__file__)).parent / "triton" / f"{rig.spec.id}.py")
    sets = views(torch, rig)

    def call(index: int) -> Any:
        return function(kernels, sets[index], rig.attributes)

    return call


def _load(path: Path) -> ModuleType:
    name = f"camp_bench_triton_{path.stem}"
    if name in sys.modules:  # with the kernels that it compiled and tuned
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[name] = module
    return module
