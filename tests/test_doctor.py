"""The doctor finds what is missing and names a command; it never fails itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from camp import doctor, nvidia_tools, toolchain
from camp.doctor import Finding, diagnose
from camp.toolchain import Driver


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("CXX", "BUILD_DIR", "CAMP_BUILD_DIR", "CUDACXX", "CUDA_HOME", "CUDA_PATH")
    for name in (*names, "CAMP_ENABLE_CUTE", "CAMP_CUTLASS_ROOT"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    (tmp_path / "clone").mkdir()
    return tmp_path / "clone"


def by_name(root: Path | None) -> dict[str, Finding]:
    findings = diagnose(root)
    names = [finding.name for finding in findings]
    assert len(set(names)) == len(names)
    assert all(finding.status in ("ok", "warn", "missing") for finding in findings)
    assert all(finding.detail for finding in findings)
    return {finding.name: finding for finding in findings}


def test_on_this_machine(clone: Path) -> None:
    found = by_name(clone)
    for name in ("compiler", "cmake", "ninja", "progress", "build (sim)"):
        assert found[name].status == "ok", found[name]
        assert found[name].fix is None
    assert not (clone / ".camp").exists()  # looking leaves nothing behind
    assert list(clone.iterdir()) == []


def test_outside_of_a_clone() -> None:
    found = by_name(None)
    assert found["clone"].status == "missing"
    assert found["clone"].fix
    assert "progress" not in found


def test_without_any_tool(clone: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "_from_package", lambda name: None)
    monkeypatch.setattr(toolchain, "SYSTEM_NVCC", tmp_path / "none")
    monkeypatch.setattr(toolchain, "package_folder", lambda name: None)
    monkeypatch.setattr(toolchain, "find_driver", lambda: None)
    found = by_name(clone)
    assert found["compiler"].status == "missing"
    assert "apt install g++" in (found["compiler"].fix or "")
    assert (found["cmake"].status, found["cmake"].fix) == ("missing", "pip install cmake")
    assert found["ninja"].status == "missing"
    assert found["addr2line"].status == "warn"
    assert (found["nvcc"].status, found["nvcc"].fix) == ("warn", None)
    assert "simulator" in found["gpu"].detail


def test_a_gpu_without_nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver((13, 0), (("NVIDIA H200", (9, 0)),))
    monkeypatch.setattr(toolchain, "find_driver", lambda: driver)
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: None)
    found = by_name(None)
    assert found["gpu"] == Finding("gpu", "ok", "NVIDIA H200 (sm_90); driver runs CUDA 13.0")
    assert found["nvcc"].fix == "pip install -e '.[cuda]'"


def test_an_nvcc_too_new_for_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Driver((12, 4), (("NVIDIA A100", (8, 0)),))
    nvcc = toolchain.Nvcc(Path("/pip/nvcc"), (13, 2), "pip")
    monkeypatch.setattr(toolchain, "find_driver", lambda: driver)
    monkeypatch.setattr(toolchain, "find_nvcc", lambda: nvcc)
    found = by_name(None)["nvcc"]
    assert found.status == "warn"
    assert "driver of 580 or newer" in found.detail


def test_a_broken_extension_is_a_finding(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ImportError: undefined symbol' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    found = doctor._native()
    assert found.status == "missing"
    assert "undefined symbol" in found.detail
    assert found.fix == "pip install -e ."


def test_a_damaged_build_folder(clone: Path) -> None:
    (clone / "build-sim").mkdir()
    (clone / "build-sim" / "libcamp_op_copy.so").write_bytes(b"x")
    found = by_name(clone)["build (sim)"]
    assert (found.status, found.fix) == ("warn", "camp configure --backend sim")


def test_a_build_folder_that_cannot_be_written(
    clone: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BUILD_DIR", str(tmp_path / "file" / "build"))
    found = by_name(clone)["build (sim)"]
    assert found.status == "missing"
    assert "BUILD_DIR" in (found.fix or "")


def test_little_disk_left(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_MIN_FREE_BYTES", 1 << 62)
    found = by_name(clone)["disk"]
    assert found.status == "warn"
    assert "free some space" in (found.fix or "")


def test_tools_that_watch_a_gpu_are_named(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolchain, "find_driver", lambda: Driver((13, 0), (("H200", (9, 0)),)))
    monkeypatch.setattr(nvidia_tools, "find_nvcc", lambda: None)
    monkeypatch.setattr(nvidia_tools, "_SYSTEM_ROOT", tmp_path / "cuda")
    monkeypatch.setenv("PATH", str(tmp_path))
    missing = by_name(clone)["compute-sanitizer"]
    assert missing.status == "warn"
    assert "camp check --sanitize" in missing.detail
    assert missing.fix is not None
    program = tmp_path / "cuda" / "compute-sanitizer" / "compute-sanitizer"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    found = by_name(clone)["compute-sanitizer"]
    assert (found.status, found.fix) == ("ok", None)
    assert str(program) in found.detail
