"""workspace: where the clone is, and where builds, kernels and the learner's state lie in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from camp.errors import UsageError, WorkspaceError

BACKENDS = ("sim", "nvidia")


def is_root(folder: Path) -> bool:
    """Whether `folder` is the top of a clone of Camp."""
    return (folder / "ops" / "CMakeLists.txt").is_file() and (
        folder / "camp" / "workspace.py"
    ).is_file()


def find_root(start: Path | None = None) -> Path:
    """The clone that holds `start` (default: the current folder), else the one camp runs from.

    Raises WorkspaceError when there is neither.
    """
    try:
        here = (start or Path.cwd()).resolve()
    except OSError as error:
        raise WorkspaceError(f"the current folder cannot be read: {error}") from error
    for folder in (here, *here.parents):
        if is_root(folder):
            return folder
    installed = Path(__file__).resolve().parent.parent
    if is_root(installed):
        return installed
    raise WorkspaceError(
        f"not inside a camp clone: {here}",
        hint="cd into the folder you cloned, or clone it again and run `pip install -e .` there",
    )


@dataclass(frozen=True)
class Workspace:
    """A clone. Environment variables are read at each call, so tests may change them."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> Workspace:
        return cls(find_root(start))

    @property
    def state_dir(self) -> Path:
        """The learner's own state: progress, caches. May not exist yet."""
        return self.root / ".camp"

    def build_dir(self, backend: str) -> Path:
        """Where `camp build` writes: BUILD_DIR, else CAMP_BUILD_DIR, else build-<backend>.

        A relative path counts from the root of the clone.
        """
        return self._folder(backend, ("BUILD_DIR", "CAMP_BUILD_DIR"))

    def library_dir(self, backend: str) -> Path:
        """Where Python finds libraries: CAMP_BUILD_DIR, else BUILD_DIR, else build-<backend>."""
        return self._folder(backend, ("CAMP_BUILD_DIR", "BUILD_DIR"))

    def _folder(self, backend: str, variables: tuple[str, ...]) -> Path:
        if backend not in BACKENDS:
            raise UsageError(f"unknown backend '{backend}'; use one of {', '.join(BACKENDS)}")
        for name in variables:
            value = os.environ.get(name, "").strip()
            if value:
                return self.root / Path(value).expanduser()
        return self.root / f"build-{backend}"

    def library(self, backend: str, name: str) -> Path:
        """Path of lib<name>.so, such as "camp_op_copy" or "camp_runtime"; may not exist."""
        return self.library_dir(backend) / f"lib{name}.so"

    def operator_folder(self, op: str) -> Path:
        return self.root / "ops" / op

    def kernel(self, op: str) -> Path:
        """The learner's file of one operator."""
        return self.operator_folder(op) / "nvidia" / "kernel.cuh"

    def solution(self, op: str) -> Path:
        """The reference solution of one exercise."""
        return self.root / "exercises" / op / "solution" / "kernel.cuh"

    def backend(self, requested: str | None = None) -> str:
        """ "sim" or "nvidia" for a request of sim, nvidia, auto or None (CAMP_BACKEND, else auto).

        auto takes nvidia only where a GPU and nvcc are both found.
        """
        choice = (requested or os.environ.get("CAMP_BACKEND", "").strip() or "auto").lower()
        if choice in BACKENDS:
            return choice
        if choice != "auto":
            raise UsageError(f"unknown backend '{choice}'; use one of auto, {', '.join(BACKENDS)}")
        from camp.toolchain import automatic_backend

        return automatic_backend()
