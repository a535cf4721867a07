"""Where the clone is found, and where builds lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp import workspace
from camp.errors import UsageError, WorkspaceError
from camp.workspace import Workspace, find_root


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BUILD_DIR", "CAMP_BUILD_DIR", "CAMP_BACKEND"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    for name in ("ops/CMakeLists.txt", "camp/workspace.py"):
        (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "clone" / name).write_text("")
    return tmp_path / "clone"


def test_found_from_any_folder_inside(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (clone / "ops" / "deep" / "deeper").mkdir(parents=True)
    monkeypatch.chdir(clone / "ops" / "deep" / "deeper")
    assert find_root() == clone
    assert find_root(clone) == clone
    assert Workspace.find().root == clone


def test_elsewhere_it_is_the_clone_camp_runs_from(tmp_path: Path, root: Path) -> None:
    assert find_root(tmp_path) == root


def test_without_any_clone_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "__file__", str(tmp_path / "site-packages/camp/workspace.py"))
    with pytest.raises(WorkspaceError, match="not inside a camp clone") as caught:
        find_root(tmp_path)
    assert caught.value.exit_code == 4
    assert "pip install -e ." in (caught.value.hint or "")


def test_paths(clone: Path) -> None:
    space = Workspace(clone)
    assert space.state_dir == clone / ".camp"
    assert space.kernel("copy") == clone / "ops/copy/nvidia/kernel.cuh"
    assert space.solution("copy") == clone / "exercises/copy/solution/kernel.cuh"
    assert space.library("sim", "camp_op_copy") == clone / "build-sim/libcamp_op_copy.so"


@pytest.mark.parametrize(
    ("variables", "build", "library"),
    [
        ({}, "build-nvidia", "build-nvidia"),
        ({"BUILD_DIR": "b"}, "b", "b"),
        ({"CAMP_BUILD_DIR": "c"}, "c", "c"),
        ({"BUILD_DIR": "b", "CAMP_BUILD_DIR": "c"}, "b", "c"),
        ({"BUILD_DIR": "  "}, "build-nvidia", "build-nvidia"),
        ({"BUILD_DIR": "/elsewhere"}, "/elsewhere", "/elsewhere"),
    ],
)
def test_build_folders(
    variables: dict[str, str],
    build: str,
    library: str,
    clone: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Workspace(clone).build_dir("nvidia") == clone / build
    assert Workspace(clone).library_dir("nvidia") == clone / library


def test_backend(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    space = Workspace(clone)
    monkeypatch.setattr("camp.toolchain.automatic_backend", lambda: "nvidia")
    assert space.backend() == "nvidia"
    assert space.backend("auto") == "nvidia"
    assert space.backend("SIM") == "sim"
    monkeypatch.setenv("CAMP_BACKEND", "sim")
    assert space.backend() == "sim"
    assert space.backend("nvidia") == "nvidia"
    monkeypatch.setenv("CAMP_BACKEND", "tpu")
    with pytest.raises(UsageError, match="unknown backend 'tpu'"):
        space.backend()
    with pytest.raises(UsageError, match="unknown backend 'tpu'"):
        space.build_dir("tpu")
