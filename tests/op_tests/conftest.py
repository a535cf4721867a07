"""conftest: one worker per kernel file for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from camp.grading.pytest_support import Kernels


@pytest.fixture(scope="session")
def kernels() -> Iterator[Kernels]:
    made = Kernels()
    yield made
    made.close()
