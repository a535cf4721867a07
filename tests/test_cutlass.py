"""Where the CuTe headers come from, and what is said when they cannot."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from camp import cutlass
from camp.errors import ToolchainError, UsageError


@pytest.fixture(autouse=True)
def _nothing_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CAMP_CUTLASS_ROOT", raising=False)
    monkeypatch.delenv("CAMP_ENABLE_CUTE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(cutlass, "package_folder", lambda name: None)


def headers(folder: Path) -> Path:
    (folder / "cute").mkdir(parents=True)
    (folder / "cute" / "tensor.hpp").write_text("#pragma once\n")
    return folder


def test_nothing_is_found_where_nothing_is() -> None:
    assert cutlass.find_cutlass() is None


@pytest.mark.parametrize("inside", ["include", "."])
def test_the_stated_root(inside: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    include = headers(tmp_path / "root" / inside)
    monkeypatch.setenv("CAMP_CUTLASS_ROOT", str(tmp_path / "root"))
    found = cutlass.find_cutlass()
    assert found is not None
    assert found.include.samefile(include)
    assert found.origin == "CAMP_CUTLASS_ROOT"


def test_a_wrong_root_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMP_CUTLASS_ROOT", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"no cute/tensor\.hpp") as caught:
        cutlass.find_cutlass()
    assert caught.value.exit_code == 4


def test_the_package_comes_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = headers(cutlass.cache_dir() / f"cutlass-{cutlass.VERSION}" / "include")
    found = cutlass.find_cutlass()
    assert found == cutlass.Cutlass(cached, "cache")
    include = headers(tmp_path / "package" / "source" / "include")
    monkeypatch.setattr(cutlass, "package_folder", {"cutlass_library": tmp_path / "package"}.get)
    assert cutlass.find_cutlass() == cutlass.Cutlass(include, "nvidia-cutlass package")


@pytest.mark.parametrize(
    ("value", "expected"), [(None, "AUTO"), ("", "AUTO"), ("on", "ON"), ("OFF", "OFF")]
)
def test_mode(value: str | None, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is not None:
        monkeypatch.setenv("CAMP_ENABLE_CUTE", value)
    assert cutlass.mode() == expected


def test_a_wrong_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAMP_ENABLE_CUTE", "maybe")
    with pytest.raises(UsageError, match="AUTO, ON, OFF"):
        cutlass.mode()


def test_which_kernels_need_the_headers(tmp_path: Path) -> None:
    plain, wants = tmp_path / "plain.cuh", tmp_path / "wants.cuh"
    plain.write_text("// like cute/tensor.hpp\n#include <cuda_runtime.h>\n")
    wants.write_text("#pragma once\n  # include <cute/tensor.hpp>\n")
    assert not cutlass.includes_cute([plain, tmp_path / "missing.cuh"])
    assert cutlass.includes_cute([plain, wants])


# ---- fetching, from a wheel made here ----


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for the wheel, and for the pip that downloads it."""
    path = tmp_path / "nvidia_cutlass.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("cutlass_library/source/include/cute/tensor.hpp", "#pragma once\n")
        archive.writestr("cutlass_library/generator.py", "raise SystemExit\n")
    monkeypatch.setattr(cutlass, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setattr(cutlass, "_download", lambda folder: path)
    return path


def test_fetched_once_and_kept(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = cutlass.require_cutlass()
    assert (found.include / "cute" / "tensor.hpp").read_text() == "#pragma once\n"
    kept = [path.name for path in cutlass.cache_dir().iterdir()]
    assert kept == [f"cutlass-{cutlass.VERSION}"]
    assert [path.name for path in found.include.parent.iterdir()] == ["include"]

    def no_second_time(folder: Path) -> Path:
        raise AssertionError("downloaded again")

    monkeypatch.setattr(cutlass, "_download", no_second_time)
    assert cutlass.require_cutlass() == found


def test_a_wrong_hash_is_not_used(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutlass, "SHA256", "0" * 64)
    with pytest.raises(ToolchainError, match="wrong hash"):
        cutlass.require_cutlass()
    assert cutlass.find_cutlass() is None


def test_offline_is_said_plainly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip = tmp_path / "python"
    pip.write_text("#!/bin/sh\necho 'ERROR: No matching distribution found' >&2\nexit 1\n")
    pip.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(pip))
    with pytest.raises(ToolchainError, match="No matching distribution found") as caught:
        cutlass.require_cutlass()
    assert "cannot be fetched" in caught.value.message
    assert f"nvidia-cutlass=={cutlass.VERSION}" in (caught.value.hint or "")
    assert list(cutlass.cache_dir().iterdir()) == []
