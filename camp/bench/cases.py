"""cases: what tests/bench/<op>.py says: the sizes to measure, the answer, the peer.

Such a module defines
  CASES      list[BenchCase]: measured on a GPU
  SIM_CASES  list[BenchCase]: run on the simulator, small
  LADDER_CASES  optional, list[str]: names of CASES at which every step of the ladder is measured
  expected(inputs, dtype, attributes) -> camp.grading.oracle.Expectation of the output; inputs are
             storage arrays by tensor name, perhaps only some leading rows of every tensor
and, each optional, the same work by another library into the output, or NotImplemented for a case
that it does not do (see camp/bench/peers):
  torch_peer(torch, tensors, attributes)
  cub_peer(cub, tensors, attributes)        by native/bench/cub/<op>.cu
  triton_peer(kernels, tensors, attributes)     by tests/bench/triton/<op>.py
  cupy_peer(cupy, tensors, attributes)
"""

from __future__ import annotations

import difflib
import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from camp.errors import StorageError, UsageError

_SHOWN = 6  # names in a hint
ITEM_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "f64": 8, "i32": 4, "i64": 8, "u8": 1}


@dataclass(frozen=True)
class BenchCase:
    """One measured size: tensor name -> shape, one dtype for all, attributes by name."""

    name: str
    dtype: str
    shapes: Mapping[str, tuple[int, ...]]
    attributes: Mapping[str, float] = field(default_factory=dict)

    def flops(self, per_element: float) -> float:
        """Floating-point operations of a call: `per_element` of op.toml for every element of the
        largest tensor."""
        return per_element * max(math.prod(shape) for shape in self.shapes.values())

    def bytes_of(self, tensor: str) -> int:
        """Bytes of one contiguous tensor."""
        return math.prod(self.shapes[tensor]) * ITEM_BYTES[self.dtype]

    @property
    def minimum_bytes(self) -> int:
        """Bytes any implementation must move: inputs read once, outputs written once."""
        return sum(self.bytes_of(tensor) for tensor in self.shapes)


def load_cases(root: Path, op: str) -> ModuleType:
    """The module tests/bench/<op>.py. Raises UsageError when it is missing or incomplete."""
    path = root / "tests" / "bench" / f"{op}.py"
    if not path.is_file():
        raise UsageError(
            f"there is no benchmark of '{op}': {path} is missing",
            hint="copy tests/bench/copy.py and change its shapes and expectation",
        )
    spec = importlib.util.spec_from_file_location(f"camp_bench_cases_{op}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error}") from error
    missing = [name for name in ("CASES", "SIM_CASES", "expected") if not hasattr(module, name)]
    if missing:
        raise UsageError(f"{path} defines no {', '.join(missing)}")
    return module


def require_cases(
    root: Path, ops: Sequence[str], names: Sequence[str], *, simulated: bool
) -> list[str]:
    """Those of `ops` that have a case of `names`; all for no names. Raises UsageError for a name
    that none of them has."""
    known = {op: case_names(load_cases(root, op), simulated=simulated) for op in ops}
    everything = list(dict.fromkeys(name for op in ops for name in known[op]))
    for name in names:
        if name in everything:
            continue
        close = difflib.get_close_matches(name, everything, n=_SHOWN, cutoff=0.5)
        guess = f"; did you mean '{close[0]}'?" if close else ""
        who = f"{ops[0]} has no" if len(ops) == 1 else "no operator has a"
        where = "simulator" if simulated else "GPU"
        shown = [known for known in everything if known in close] or everything[:_SHOWN]
        more = f" and {len(everything) - len(shown)} more" if len(shown) < len(everything) else ""
        raise UsageError(
            f"{who} benchmark case '{name}' on a {where}{guess}",
            hint=f"cases: {', '.join(shown)}{more}",
        )
    return [op for op in ops if not names or set(names) & set(known[op])]


def case_names(module: ModuleType, *, simulated: bool) -> list[str]:
    """The names of all cases that are measured on a GPU, or counted on the simulator."""
    cases: list[BenchCase] = module.SIM_CASES if simulated else module.CASES
    return [case.name for case in cases]
