"""nvcc.report: what nvcc said of one kernel file, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from camp.errors import Diagnostic

COMPILED, REFUSED, STOPPED, FAILED = "compiled", "refused", "stopped", "failed"


@dataclass(frozen=True)
class KernelResources:
    """One kernel as compiled: `registers` and the bytes in memory are of a thread, shared memory
    (static) is of a block. `stack_bytes` holds local arrays as well as what was spilled."""

    name: str
    registers: int
    shared_bytes: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0

    @property
    def spills(self) -> bool:
        return self.spill_store_bytes + self.spill_load_bytes > 0


@dataclass(frozen=True)
class NvccReport:
    """The answer for one architecture such as "sm_90".

    status: "compiled", "refused" (the learner's code), "stopped" (at its time limit) or "failed"
    (not because of the learner's code). diagnostics: why, when refused. message: why, in a
    sentence, when stopped or failed.
    """

    status: str
    architecture: str
    version: str
    kernels: tuple[KernelResources, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    message: str = ""

    @property
    def spilling(self) -> list[KernelResources]:
        """Kernels with spills, most bytes first."""
        found = [kernel for kernel in self.kernels if kernel.spills]
        return sorted(found, key=lambda k: -(k.spill_store_bytes + k.spill_load_bytes))

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def read_json(raw: Mapping[str, Any]) -> NvccReport:
    """The report that to_json() wrote. Raises KeyError or TypeError for anything else."""
    return NvccReport(
        status=raw["status"],
        architecture=raw["architecture"],
        version=raw["version"],
        kernels=tuple(KernelResources(**kernel) for kernel in raw["kernels"]),
        diagnostics=tuple(Diagnostic(**diagnostic) for diagnostic in raw["diagnostics"]),
        message=raw["message"],
    )


def registers_by_kernel(report: NvccReport | None) -> dict[str, int]:
    """Registers of a thread of each kernel, under the names that the simulator reports."""
    return {kernel.name: kernel.registers for kernel in report.kernels} if report else {}
