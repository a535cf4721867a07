"""test_check_nvcc: what `camp check` on sim says of the kernel as nvcc compiles it."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from camp.toolchain import find_nvcc
from tests.nvcc.processes import is_gone

from .conftest import Clone
from .helpers import document

KERNELS = Path(__file__).resolve().parents[1] / "nvcc" / "kernels"

COMPILED = """\
cat <<'END'
ptxas info    : Compiling entry function '_Z11copy_kernelIjEvPT_PKS0_l' for 'sm_90'
ptxas info    : Function properties for _Z11copy_kernelIjEvPT_PKS0_l
    STACK bytes stack frame, STACK bytes spill stores, STACK bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem
END
"""


def fake(folder: Path, body: str) -> dict[str, str]:
    """Variables that make a script with this body the only nvcc."""
    script = folder / "bin" / "nvcc"
    script.parent.mkdir(exist_ok=True)
    version = 'case "$1" in --version) echo "release 13.1, V13.1.99"; exit 0 ;; esac'
    script.write_text(f"#!/bin/sh\n{version}\n{body}\n")
    script.chmod(0o755)
    return {"CUDACXX": str(script), "CAMP_CHECK_NVCC": "1"}


def test_a_clean_kernel_has_one_line_of_resources(built: Clone, tmp_path: Path) -> None:
    variables = fake(tmp_path, COMPILED.replace("STACK", "0"))
    done = built.run("check", "copy", **variables)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("copy: PASS on sim")
    assert lines[-1] == (
        "  nvcc for sm_90: copy_kernel<unsigned int>: 32 registers, 4,096 bytes of shared memory, "
        "no spills"
    )
    [result] = document(built.run("check", "copy", "--json", **variables))["results"]
    assert result["nvcc"]["status"] == "compiled"
    [kernel] = result["nvcc"]["kernels"]
    assert (kernel["name"], kernel["registers"]) == ("copy_kernel<unsigned int>", 32)


def test_spills_are_a_warning_with_advice(built: Clone, tmp_path: Path) -> None:
    done = built.run("check", "copy", **fake(tmp_path, COMPILED.replace("STACK", "1200")))
    assert done.returncode == 0, done.stderr
    warning, advice = done.stdout.splitlines()[-2:]
    assert warning.startswith("  warning: nvcc for sm_90: copy_kernel<unsigned int>: 32 registers")
    assert "1,200 bytes of spill stores" in warning
    assert "__launch_bounds__" in advice


def test_a_refusal_leaves_the_verdict_and_names_the_line(built: Clone, tmp_path: Path) -> None:
    says = f"echo '{built.kernel}(8): error: device code does not support this'; exit 2"
    done = built.run("check", "copy", **fake(tmp_path, says))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("copy: PASS on sim")
    assert "warning: nvcc for sm_90 refuses what the simulator ran" in done.stdout
    assert "kernel.cuh:8: device code does not support this" in done.stdout
    assert "8 |   if (i < n) y[i] = x[i];" in done.stdout


def test_a_kernel_that_fails_is_told_of_too(built: Clone, tmp_path: Path) -> None:
    path = built.root / "unbounded.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) ", ""))
    variables = fake(tmp_path, COMPILED.replace("STACK", "0"))
    done = built.run("check", "copy", "--kernel", str(path), **variables)
    assert done.returncode == 1
    assert "nvcc for sm_90: copy_kernel<unsigned int>" in done.stdout


@pytest.mark.parametrize("arguments", [("--no-nvcc",), ("--backend", "sim")])
def test_it_can_be_turned_off(built: Clone, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    variables = fake(tmp_path, f"touch {tmp_path}/asked")
    if "--no-nvcc" not in arguments:
        variables["CAMP_CHECK_NVCC"] = "0"
    done = built.run("check", "copy", *arguments, **variables)
    assert done.returncode == 0, done.stderr
    assert "nvcc" not in done.stdout
    assert not (tmp_path / "asked").exists()


def test_it_is_not_asked_about_a_scaffold(clone: Clone, tmp_path: Path) -> None:
    assert clone.run("reset", "copy").returncode == 0
    done = clone.run("check", "copy", **fake(tmp_path, f"touch {tmp_path}/asked"))
    assert done.stdout.startswith("copy: NOT STARTED")
    assert not (tmp_path / "asked").exists()


def test_ctrl_c_after_the_verdict_ends_it(built: Clone, tmp_path: Path) -> None:
    variables = fake(tmp_path, f"echo $$ > {tmp_path}/group; sleep 300 & sleep 300")
    process = subprocess.Popen(
        built.command("check", "copy"),
        cwd=built.root,
        env={**built.environment, **variables, "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("copy: PASS on sim")  # before nvcc has answered
    while not process.stdout.readline().startswith("  next: "):
        pass
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "Traceback" not in errors
    assert is_gone(int((tmp_path / "group").read_text()))


def test_the_real_nvcc_beside_the_simulator(built: Clone) -> None:
    """A kernel that is right on the simulator and does not build for a GPU."""
    if find_nvcc() is None:
        pytest.skip("no nvcc")
    kernel = KERNELS / "refused.cuh"
    done = built.run("check", "copy", "--kernel", str(kernel), CAMP_CHECK_NVCC="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("copy: PASS on sim")
    assert "refused.cuh:10: device code does not support exception handling" in done.stdout
    assert "refused.cuh:16: expression must have a constant value" in done.stdout
