"""conftest: the simulator's library for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.build import ensure_built
from camp.workspace import Workspace


@pytest.fixture(scope="session")
def sim_runtime(root: Path) -> Path:
    """libcamp_runtime.so of the backend `sim`, built from this clone."""
    workspace = Workspace(root)
    ensure_built(workspace, "sim", ["relu"])
    return workspace.build_dir("sim") / "libcamp_runtime.so"
