"""counting: one case of a kernel that passes, run once more for its counters with their lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from camp.build import build_variants
from camp.build_process import Progress
from camp.counters.model import Counters, TensorBytes
from camp.counters.read import read_counters
from camp.grading.case import Case, Problem
from camp.grading.dtypes import dtype_of
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.grading.grader import Grader


@dataclass(frozen=True)
class CountedRun:
    """The launches that the simulator reported of one passed case."""

    case_id: str
    problem: Problem
    launches: Sequence[Mapping[str, Any]]

    def totals(self) -> Counters | None:
        """Without lines; None where the report does not follow the format."""
        return read_counters(self.launches, self.case_id, self._tensors)

    def by_line(self, kernel: Path, root: Path, library: Path) -> Counters | None:
        """By lines of `kernel`, built as `library`, and of other files under `root`."""
        return read_counters(
            self.launches,
            self.case_id,
            self._tensors,
            kernel=kernel,
            root=root,
            modules=[library],
        )

    @property
    def _tensors(self) -> list[TensorBytes]:
        return [
            TensorBytes(tensor.name, tensor.role, tensor.elements * dtype_of(tensor.dtype).bytes)
            for tensor in self.problem.tensors
        ]


def case_to_count(cases: Iterable[Case], seed: int) -> Case | None:
    """The last case marked `traffic`; without one the largest of the plain calls."""
    plain = [case for case in cases if case.misuse is None and not case.interleave]
    marked = [case for case in plain if case.traffic]
    if marked:
        return marked[-1]
    whole = [case for case in plain if case.cut_after_s is None]
    largest = max(whole, key=lambda case: case.draw(case.generator(seed)).elements, default=None)
    return replace(largest, traffic=True) if largest else None


def count_case(
    grader: Grader, case: Case, *, kernel: Path, root: Path, library: Path
) -> Counters | None:
    """The counters of one case by lines of `kernel` and of files under `root`, from a library that
    the grader uses; None where the case does not pass."""
    if not grader.grade(case).passed or grader.counted is None:
        return None
    return grader.counted.by_line(kernel, root, library)


def build_counted(ws: Workspace, op: str, kernel: Path, progress: Progress | None = None) -> Path:
    """The library of a kernel file for `sim` that also counts the lanes of all code. Raises
    BuildError."""
    built = build_variants(ws, "sim", [(op, kernel)], progress=progress, counted=True)
    (library,) = built.values()
    assert isinstance(library, Path)
    return library
