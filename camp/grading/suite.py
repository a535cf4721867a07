"""suite: the list of cases of an operator, read from tests/cases/<op>.py, the only such list."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from camp.errors import InternalError
from camp.grading.case import Case


def load_cases(root: Path, op: str) -> list[Case]:
    """All cases of an operator, opt-in ones too. Raises InternalError for a missing or bad file."""
    path = root / "tests" / "cases" / f"{op}.py"
    name = f"camp_cases_{op}"
    spec = importlib.util.spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InternalError(f"{path} is missing: every operator has its list of cases there")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses of the file look their module up
    spec.loader.exec_module(module)
    cases = getattr(module, "CASES", None)
    if not isinstance(cases, list) or not cases or not all(isinstance(c, Case) for c in cases):
        raise InternalError(f"{path} must define CASES, a list of Case that is not empty")
    ids = [case.id for case in cases]
    twice = sorted({case_id for case_id in ids if ids.count(case_id) > 1})
    if twice:
        raise InternalError(f"{path}: the id {twice[0]!r} is used twice")
    return cases


def runs_on(case: Case, backend: str) -> bool:
    """Whether a backend runs the case at all. Sampled launches are the simulator's; a GPU has the
    memory for whole ones."""
    return backend == "sim" or not case.most_blocks


def select(cases: Sequence[Case], *, backend: str, opt_in: frozenset[str]) -> list[Case]:
    """The cases to run: those without marks, on a GPU those marked "gpu", and those whose other
    marks were all opted in to."""
    able = opt_in | {"gpu"} if backend == "nvidia" else opt_in - {"gpu"}
    return [case for case in cases if runs_on(case, backend) and case.marks <= able]
