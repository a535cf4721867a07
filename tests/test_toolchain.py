"""Which tools are found, in which order, and the sentence for each that does not fit."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from camp import toolchain
from camp.errors import ToolchainError, UsageError
from camp.toolchain import DEFAULT_ARCHITECTURES, Driver, Nvcc

H200 = Driver((13, 0), (("NVIDIA H200", (9, 0)),))
OLD = Driver((12, 4), (("NVIDIA A100", (8, 0)),))


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No tools but those a test makes, and no driver."""
    for name in ("CXX", "CUDACXX", "CUDA_HOME", "CUDA_PATH", "CMAKE_CUDA_ARCHITECTURES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("NVCC_APPEND_FLAGS", raising=False)
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(toolchain, "package_folder", lambda name: None)
    monkeypatch.setattr(toolchain, "SYSTEM_NVCC", tmp_path / "no-nvcc")
    monkeypatch.setattr(toolchain, "find_driver", lambda: None)
    toolchain._nvcc_version.cache_clear()


def program(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def nvcc(path: Path, release: str = "13.0") -> Path:
    return program(path, f"echo 'Cuda compilation tools, release {release}, V{release}.88'")


# ---- the host compiler ----


def test_no_compiler() -> None:
    assert toolchain.find_cxx() is None
    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler found"):
        toolchain.require_cxx()


def test_the_order_of_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("clang++", "g++", "c++"):
        expected = program(tmp_path / "bin" / name)
        assert toolchain.find_cxx() == expected
    other = program(tmp_path / "other" / "my c++")
    monkeypatch.setenv("CXX", str(other))
    assert toolchain.find_cxx() == other
    monkeypatch.setenv("CXX", "g++ -m64")
    assert toolchain.find_cxx() == tmp_path / "bin" / "g++"
    monkeypatch.setenv("CXX", "missing")
    with pytest.raises(ToolchainError, match="CXX is 'missing'"):
        toolchain.find_cxx()


def test_cmake_and_ninja_come_from_packages_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "venv" / "bin" / "python"))
    with pytest.raises(ToolchainError, match="cmake is not installed") as caught:
        toolchain.require_cmake()
    assert caught.value.hint == "`pip install cmake`"
    on_path = program(tmp_path / "bin" / "ninja")
    assert toolchain.find_ninja() == on_path
    beside = program(tmp_path / "venv" / "bin" / "ninja")
    assert toolchain.find_ninja() == beside
    packaged = program(tmp_path / "packages" / "cmake" / "data" / "bin" / "cmake")
    monkeypatch.setattr(toolchain, "package_folder", lambda name: tmp_path / "packages" / name)
    assert toolchain.find_cmake() == packaged


# ---- nvcc ----


def test_the_order_of_nvccs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert toolchain.find_nvcc() is None
    nvidia = tmp_path / "site-packages" / "nvidia"
    monkeypatch.setattr(toolchain, "package_folder", {"nvidia": nvidia}.get)
    pip = nvcc(nvidia / "cu13" / "bin" / "nvcc", "13.2")
    assert toolchain.find_nvcc() == Nvcc(pip, (13, 2), "pip")
    on_path = nvcc(tmp_path / "bin" / "nvcc", "12.4")
    assert toolchain.find_nvcc() == Nvcc(on_path, (12, 4), "PATH")
    home = nvcc(tmp_path / "home" / "bin" / "nvcc")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    assert toolchain.find_nvcc() == Nvcc(home, (13, 0), "CUDA_HOME")
    stated = nvcc(tmp_path / "stated" / "nvcc", "12.9")
    monkeypatch.setenv("CUDACXX", str(stated))
    assert toolchain.find_nvcc() == Nvcc(stated, (12, 9), "CUDACXX")


def test_an_nvcc_that_does_not_run_is_passed_over(tmp_path: Path) -> None:
    program(tmp_path / "bin" / "nvcc", "exit 127")
    assert toolchain.find_nvcc() is None


def test_pips_nvcc_is_told_where_its_libraries_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "nvidia" / "cu13"
    found = Nvcc(nvcc(root / "bin" / "nvcc"), (13, 0), "pip")
    assert found.environment == {"NVCC_APPEND_FLAGS": f"-L{root}/lib"}
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-Xfatbin")
    assert found.environment == {"NVCC_APPEND_FLAGS": f"-Xfatbin -L{root}/lib"}
    assert Nvcc(found.path, (13, 0), "PATH").environment == {}


@pytest.mark.parametrize(
    ("version", "driver", "refused"),
    [
        ((13, 0), None, False),
        ((13, 2), H200, False),
        ((12, 4), H200, False),
        ((12, 9), OLD, False),
        ((13, 0), OLD, True),
    ],
)
def test_which_nvcc_fits_which_driver(
    version: tuple[int, int], driver: Driver | None, refused: bool
) -> None:
    message = toolchain.mismatch(Nvcc(Path("/pip/nvcc"), version, "pip"), driver)
    assert (message is not None) == refused
    if message:
        assert "driver of 580 or newer" in message
        assert "runs CUDA 12.4 at most" in message
        assert "CUDACXX" in message


def test_require_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ToolchainError, match="the nvidia backend needs nvcc") as caught:
        toolchain.require_nvcc()
    assert "pip install -e '.[cuda]'" in (caught.value.hint or "")
    nvcc(tmp_path / "bin" / "nvcc")
    assert toolchain.require_nvcc().version == (13, 0)
    monkeypatch.setattr(toolchain, "find_driver", lambda: OLD)
    with pytest.raises(ToolchainError, match="driver of 580 or newer"):
        toolchain.require_nvcc()


def test_automatic_backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert toolchain.automatic_backend() == "sim"
    nvcc(tmp_path / "bin" / "nvcc")
    assert toolchain.automatic_backend() == "sim"  # no GPU
    monkeypatch.setattr(toolchain, "find_driver", lambda: Driver((13, 0), ()))
    assert toolchain.automatic_backend() == "sim"  # a driver without a GPU
    monkeypatch.setattr(toolchain, "find_driver", lambda: OLD)
    assert toolchain.automatic_backend() == "sim"  # the nvcc is too new for it
    monkeypatch.setattr(toolchain, "find_driver", lambda: H200)
    assert toolchain.automatic_backend() == "nvidia"
    (tmp_path / "bin" / "nvcc").unlink()
    assert toolchain.automatic_backend() == "sim"


# ---- architectures ----


@pytest.mark.parametrize(
    ("stated", "driver", "expected"),
    [
        (None, None, DEFAULT_ARCHITECTURES),
        (None, H200, "90-real"),
        ("", H200, "90-real"),
        ("native", OLD, "80-real"),
        ("native", None, DEFAULT_ARCHITECTURES),
        ("89", H200, "89"),
        ("75;80;90", None, "75;80;90"),
        ("75, 80", None, "75;80"),
        ("90a-real;120-virtual", None, "90a-real;120-virtual"),
        ("all-major", None, "all-major"),
        ("native;75", H200, "90-real;75"),
    ],
)
def test_architectures(
    stated: str | None, driver: Driver | None, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if stated is not None:
        monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", stated)
    monkeypatch.setattr(toolchain, "find_driver", lambda: driver)
    assert toolchain.cuda_architectures() == expected


@pytest.mark.parametrize("stated", ["sm_90", "90;x", "-real", "9"])
def test_a_wrong_architecture(stated: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", stated)
    with pytest.raises(UsageError, match="CMAKE_CUDA_ARCHITECTURES has"):
        toolchain.cuda_architectures()
