# test_native_runtime.py: builds tests/native and runs its programs, each under its sanitizer.
from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a first build takes about 20 s

ROOT = Path(__file__).resolve().parent.parent
BUILD_DIR = ROOT / "build-native-tests"

# Fewer checks than these mean that tests were lost on the way, not that they passed.
MINIMUM_CHECKS = {"runtime_tests": 1000, "concurrency_tests": 100, "hot_path_tests": 10}

# One execute may cost this much by itself; a prepared call from Python has 300 ns in all.
EXECUTE_LIMIT_NS = 100.0


def tool(name: str) -> str:
    """The build tool beside this Python, else on PATH."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.fail(f"{name} is not installed")
    return found


def run(*command: str | Path, timeout_s: float) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout_s,
        check=False,
    )


@pytest.fixture(scope="module")
def programs() -> Path:
    """The folder of the built test programs."""
    source = ROOT / "tests" / "native"
    cache = BUILD_DIR / "CMakeCache.txt"
    if cache.exists() and f"CMAKE_HOME_DIRECTORY:INTERNAL={source}\n" not in cache.read_text():
        shutil.rmtree(BUILD_DIR)  # configured for a clone that has moved
    configure = run(
        tool("cmake"),
        *("-G", "Ninja", "-S", source, "-B", BUILD_DIR),
        f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}",
        timeout_s=120,
    )
    assert configure.returncode == 0, configure.stdout
    build = run(tool("cmake"), "--build", BUILD_DIR, "-j2", timeout_s=900)
    assert build.returncode == 0, build.stdout
    return BUILD_DIR


@pytest.mark.parametrize("name", MINIMUM_CHECKS)
def test_program(programs: Path, name: str) -> None:
    result = run(programs / name, timeout_s=300)
    if "ThreadSanitizer: unexpected memory mapping" in result.stdout:
        pytest.skip("this kernel randomises addresses more than the thread sanitizer takes")
    assert result.returncode == 0, result.stdout
    assert "Sanitizer" not in result.stdout, result.stdout
    assert "runtime error" not in result.stdout, result.stdout
    summary = re.search(r"^(\d+) tests, (\d+) checks, 0 failed$", result.stdout, re.MULTILINE)
    assert summary is not None, result.stdout
    assert int(summary[2]) >= MINIMUM_CHECKS[name], result.stdout


def test_execute_is_cheap(programs: Path) -> None:
    result = run(programs / "overhead", timeout_s=120)
    assert result.returncode == 0, result.stdout
    measured = re.fullmatch(r"execute_ns ([\d.]+)\n", result.stdout)
    assert measured is not None, result.stdout
    assert 0 < float(measured[1]) < EXECUTE_LIMIT_NS
