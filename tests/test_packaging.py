"""The package: one version, an abi3 wheel with what it needs, an install without a compiler."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import camp
from camp import ops

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def build_wheel(root: Path, folder: Path, **environment: str) -> zipfile.ZipFile:
    """Builds with what is installed here, so that no network is needed."""
    for module in ("pip", "scikit_build_core", "nanobind"):
        pytest.importorskip(module)
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-q"]
    command += ["--disable-pip-version-check", "-w", str(folder), str(root)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return zipfile.ZipFile(wheel)


def wheel_name(wheel: zipfile.ZipFile) -> str:
    return Path(str(wheel.filename)).name


def test_the_version_is_said_once(root: Path) -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", camp.__version__)
    assert importlib.metadata.version("camp") == camp.__version__
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    assert "version" not in project
    assert "version" in project["dynamic"]
    assert not re.search(r"project\(.*VERSION", (root / "CMakeLists.txt").read_text())


@pytest.mark.slow
def test_the_wheel(root: Path, tmp_path: Path) -> None:
    with build_wheel(root, tmp_path) as wheel:
        assert re.fullmatch(
            rf"camp-{re.escape(camp.__version__)}-cp310-abi3-\w+\.whl", wheel_name(wheel)
        )
        names = set(wheel.namelist())
        info = f"camp-{camp.__version__}.dist-info"
        metadata = wheel.read(f"{info}/METADATA").decode()
        entry_points = wheel.read(f"{info}/entry_points.txt").decode()
        size_bytes = wheel.getinfo("camp/_native.abi3.so").file_size
    assert {"camp/_native.pyi", "camp/py.typed", f"{info}/licenses/LICENSE"} <= names
    assert {f"camp/ops/{op}.py" for op in ops.modules()} <= names
    assert not [name for name in names if not name.startswith(("camp/", f"{info}/"))]
    assert "Requires-Python: >=3.10" in metadata
    assert "camp = camp.cli:main" in entry_points
    assert size_bytes < 500_000  # libnanobind stays in its own package


@pytest.mark.slow
def test_an_install_without_a_compiler(root: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "no-such-compiler")
    with build_wheel(root, tmp_path, CC=nowhere, CXX=nowhere) as wheel:
        assert wheel_name(wheel) == f"camp-{camp.__version__}-py3-none-any.whl"
        unpacked = tmp_path / "site"
        wheel.extractall(unpacked)
    assert not list(unpacked.glob("camp/_native*.so"))
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]\n"
        "from camp.errors import ToolchainError\n"
        "import camp\n"
        "try: camp.relu\n"
        "except ToolchainError as error: print(error.exit_code, error, error.hint)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, unpacked],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 camp was installed without its compiled part")
    assert "camp doctor" in done.stdout
