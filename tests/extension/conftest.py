"""conftest: the fake runtime and its one operator, loaded."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest

from camp import _native


@pytest.fixture(scope="session")
def folder(fake_build: Callable[..., Path]) -> Path:
    return fake_build()


@pytest.fixture(scope="session")
def library(folder: Path) -> _native.Library:
    return _native.Library(str(folder / "libcamp_runtime.so"))


@pytest.fixture(scope="session")
def scale(folder: Path, library: _native.Library) -> _native.Operator:
    return _native.Operator(library, str(folder / "libcamp_op_scale.so"), "scale")


@pytest.fixture
def allocations(folder: Path) -> Callable[[], int]:
    """Counts what the runtime handed out and did not get back."""
    count: Callable[[], int] = ctypes.CDLL(str(folder / "libcamp_runtime.so")).fake_allocations
    return count
