"""Fixtures of the grader's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.build import build_variants
from camp.workspace import Workspace
from tests.grading.faulty import FAULTS, Libraries, kernel


@pytest.fixture(scope="session")
def libraries() -> Libraries:
    """All kernels of tests/faulty, built in one go."""
    ws = Workspace.find(Path(__file__))
    wanted = [(f["op"], kernel(f, fixed=fixed)) for f in FAULTS for fixed in (False, True)]
    built = build_variants(ws, "sim", wanted, keep_going=True)
    return {path: library for (_, path), library in built.items()}
