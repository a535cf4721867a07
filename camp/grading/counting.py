"""counting: one case of a kernel that passes, run once more for its counters with their lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camp.counters.model import Counters, TensorBytes
from camp.counters.read import read_counters
from camp.grading.case import Case, Problem
from camp.grading.dtypes import dtype_of

if TYPE_CHECKING:
    from camp.grading.grader import Grader


@dataclass(frozen=True)
class CountedRun:
    """The launches that the simulator reported of one passed case."""

    case_id: str
    problem: Problem
    launches: Sequence[Mapping[str, Any]]

    def counters(self, kernel: Path | None = None, library: Path | None = None) -> Counters | None:
        """By lines of `kernel`, built as `library`; without them in totals alone. None where the
        report does not follow the format."""
        tensors = [
            TensorBytes(tensor.name, tensor.role, tensor.elements * dtype_of(tensor.dtype).bytes)
            for tensor in self.problem.tensors
        ]
        modules = [library] if library else []
        return read_counters(self.launches, self.case_id, tensors, kernel=kernel, modules=modules)


def count_case(grader: Grader, case: Case, kernel: Path, library: Path) -> Counters | None:
    """The counters of one case by lines of `kernel`; None where the case does not pass."""
    if not grader.grade(case).passed or grader.counted is None:
        return None
    return grader.counted.counters(kernel, library)
