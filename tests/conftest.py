"""conftest: what several test files share."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# A run in the background of a script ignores SIGINT, and so would every process that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    from camp.workspace import Workspace

    if Workspace(ROOT).backend("auto") != "nvidia":
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="needs an NVIDIA GPU and nvcc"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of this clone."""
    return ROOT


@pytest.fixture(scope="session")
def every_operator(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """every_operator(backend): a build directory of all of them, exercises from their solutions.

    It also has copy_one_too_far.so, a copy with a fault.
    """

    @functools.cache
    def build(backend: str) -> Path:
        from camp.build import build_variants, ensure_built
        from camp.spec import list_specs
        from camp.workspace import Workspace

        workspace = Workspace(root)
        specs = list_specs(root)
        libraries = ensure_built(workspace, backend, [spec.id for spec in specs if spec.shipped])
        exercises = [(spec.id, workspace.solution(spec.id)) for spec in specs if not spec.shipped]
        faulty = ("copy", root / "tests" / "kernels" / "copy_one_too_far.cuh")
        variants = build_variants(workspace, backend, [*exercises, faulty])
        folder = tmp_path_factory.mktemp(f"every-{backend}")
        (folder / "copy_one_too_far.so").symlink_to(variants.pop(faulty))
        libraries |= {op: path for (op, _), path in variants.items()}
        for op, library in libraries.items():
            (folder / f"libcamp_op_{op}.so").symlink_to(library)
        runtime = workspace.library(backend, "camp_runtime")
        (folder / runtime.name).symlink_to(runtime)
        return folder

    return build


FakeBuild = Callable[..., Path]


@pytest.fixture(scope="session")
def fake_build(tmp_path_factory: pytest.TempPathFactory) -> FakeBuild:
    """Compiles tests/fake_runtime: build(runtime defines, operator defines) -> build directory.

    Each has a runtime with a name of its own inside, as libraries are never unloaded.
    """
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("no C compiler")
    sources = ROOT / "tests" / "fake_runtime"
    numbers = itertools.count()

    def compile_library(source: str, output: Path, defines: dict[str, str], *flags: str) -> None:
        command = [compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-shared", "-fPIC", "-O1"]
        command += ["-fvisibility=hidden", "-I", str(ROOT / "native" / "include")]
        command += [f"-D{name}={value}" for name, value in defines.items()]
        command += [str(sources / source), *flags, "-o", str(output)]
        subprocess.run(command, check=True, capture_output=True, text=True)

    def build(
        runtime: dict[str, str] | None = None,
        operator: dict[str, str] | None = None,
        folder: Path | None = None,
    ) -> Path:
        soname = f"fake_{os.getpid()}_{next(numbers)}.so"
        folder = folder or tmp_path_factory.mktemp("fake")
        library = folder / "libcamp_runtime.so"
        if not library.exists():
            compile_library("runtime.c", library, runtime or {}, f"-Wl,-soname,{soname}")
            (folder / soname).symlink_to(library.name)
        compile_library(
            "scale.c",
            folder / "libcamp_op_scale.so",
            operator or {},
            str(library),
            "-Wl,-rpath,$ORIGIN",
        )
        return folder

    return build
