"""camp.build when the machine misbehaves: damaged folders, missing tools, two at once, Ctrl-C."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from camp import build_process
from camp.build import BuildEvent, ensure_built
from camp.elf import is_complete
from camp.errors import StorageError, ToolchainError

if TYPE_CHECKING:
    from conftest import Clone

REAL = Path(__file__).resolve().parents[2]

SCRIPT = """\
import sys
from pathlib import Path
from camp.build import ensure_built
from camp.workspace import Workspace
print(ensure_built(Workspace(Path(sys.argv[1])), "sim", ["alpha"]))
"""


def build(clone: Clone) -> Path:
    return ensure_built(clone.workspace, "sim", ["alpha"])["alpha"]


def start(clone: Clone, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(clone.root)],
        env={**os.environ, "PYTHONPATH": str(REAL), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def tool(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


# ---- a damaged build folder ----


def garbage(path: Path) -> None:
    path.write_bytes(b"\x00garbage\xff" * 20)


def truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


DAMAGE = {
    "build.ninja gone": lambda folder: (folder / "build.ninja").unlink(),
    "build.ninja garbage": lambda folder: garbage(folder / "build.ninja"),
    "build.ninja cut": lambda folder: truncate(folder / "build.ninja"),
    "cache gone": lambda folder: (folder / "CMakeCache.txt").unlink(),
    "cache garbage": lambda folder: garbage(folder / "CMakeCache.txt"),
    "stamp garbage": lambda folder: garbage(folder / "camp-configured.json"),
    "ninja log garbage": lambda folder: garbage(folder / ".ninja_log"),
    "ninja deps garbage": lambda folder: garbage(folder / ".ninja_deps"),
    "library cut": lambda folder: truncate(folder / "libcamp_op_alpha.so"),
    "library garbage": lambda folder: garbage(folder / "libcamp_op_alpha.so"),
    "runtime cut": lambda folder: truncate(folder / "libcamp_runtime.so"),
    "runtime's other name gone": lambda folder: (folder / "libcamp_runtime_sim.so").unlink(),
    "objects cut": lambda folder: [truncate(path) for path in folder.rglob("*.o")],
    "header cut": lambda folder: [truncate(path) for path in folder.rglob("*.gch")],
    "translation gone": lambda folder: [path.unlink() for path in folder.rglob("*_cuda.cc")],
}


@pytest.mark.parametrize("damage", sorted(DAMAGE))
def test_a_damaged_folder_heals(damage: str, clone: Clone) -> None:
    build(clone)
    DAMAGE[damage](clone.folder)
    clone.kernel("alpha", 9)
    library = build(clone)
    assert is_complete(library)
    assert is_complete(clone.folder / "libcamp_runtime.so")
    code = f"import ctypes; print(ctypes.CDLL({str(library)!r}).alpha_answer())"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "9\n"


def test_a_moved_clone_builds_again(clone: Clone, tmp_path: Path) -> None:
    build(clone)
    moved = type(clone)(clone.root.rename(tmp_path / "moved"))
    assert build(moved) == tmp_path / "moved" / "build-sim" / "libcamp_op_alpha.so"


# ---- missing tools ----


def test_no_compiler(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler found") as caught:
        build(clone)
    assert caught.value.exit_code == 4
    assert "apt install" in (caught.value.hint or "")


def test_a_wrong_compiler(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ToolchainError, match="CXX is 'no-such-compiler'"):
        build(clone)


def test_a_compiler_that_does_not_compile(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CXX", str(tool(tmp_path, "c++", "echo it is broken >&2; exit 1")))
    with pytest.raises(ToolchainError, match="cmake cannot configure"):
        build(clone)
    monkeypatch.delenv("CXX")
    assert is_complete(build(clone))


def test_another_compiler_configures_anew(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    build(clone)
    monkeypatch.setenv("CXX", str(tool(tmp_path, "my-c++", 'exec c++ "$@"')))
    build(clone)
    assert "my-c++" in (clone.folder / "CMakeCache.txt").read_text()


# ---- storage ----


def test_a_build_folder_that_cannot_be_made(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("BUILD_DIR", str(tmp_path / "file" / "build"))
    with pytest.raises(StorageError, match="cannot write the build folder") as caught:
        build(clone)
    assert "BUILD_DIR" in (caught.value.hint or "")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "fixed").mkdir(mode=0o555)
    monkeypatch.setenv("BUILD_DIR", str(tmp_path / "fixed" / "build"))
    with pytest.raises(StorageError, match="Permission denied"):
        build(clone)


def test_a_full_disk_while_compiling(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    build(clone)
    full = "echo 'fatal error: error writing to x.o: No space left on device' >&2; exit 1"
    compiler = tool(tmp_path, "c++", f'[ -e "{tmp_path}/full" ] && {{ {full}; }}; exec g++ "$@"')
    monkeypatch.setenv("CXX", str(compiler))
    library = build(clone)
    before = library.read_bytes()
    (tmp_path / "full").touch()
    clone.kernel("alpha", 8)
    with pytest.raises(StorageError, match="the disk is full") as caught:
        build(clone)
    assert caught.value.exit_code == 4
    assert library.read_bytes() == before
    (tmp_path / "full").unlink()
    assert build(clone).read_bytes() != before


def test_a_full_disk_when_writing_our_own_files(clone: Clone) -> None:
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert "the disk is full" in build_process.storage_problem(clone.folder, error).message


# ---- two at once, and Ctrl-C ----


def test_two_processes_at_once(clone: Clone) -> None:
    processes = [start(clone) for _ in range(3)]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "libcamp_op_alpha.so" in out


def test_waiting_is_told(clone: Clone, tmp_path: Path) -> None:
    wait = f'case "$*" in *runtime.cc*) while [ -e "{tmp_path}/slow" ]; do sleep 0.1; done;; esac'
    slow = tool(tmp_path, "c++", f'{wait}; exec g++ "$@"')
    (tmp_path / "slow").touch()
    process = start(clone, CXX=str(slow))
    while not (clone.folder / "build.ninja").exists() and process.poll() is None:
        time.sleep(0.02)

    def on_event(event: BuildEvent) -> None:
        clone.events.append(event)
        (tmp_path / "slow").unlink(missing_ok=True)

    ensure_built(clone.workspace, "sim", ["alpha"], on_event)
    assert process.wait(timeout=60) == 0
    assert clone.events[0].kind == "wait"


def children_in(folder: Path) -> list[str]:
    """Command lines of processes that work in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if Path(os.readlink(entry / "cwd")).is_relative_to(folder):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def test_ctrl_c_stops_everything_and_the_folder_stays_usable(clone: Clone, tmp_path: Path) -> None:
    build(clone)
    clone.kernel("alpha", 6)
    started = tmp_path / "started"
    endless = tool(
        tmp_path,
        "c++",
        f'case "$*" in *_cuda.cc*) touch "{started}"; sleep 60;; esac; exec g++ "$@"',
    )
    process = start(clone, CXX=str(endless))
    deadline = time.monotonic() + 60
    while not started.exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode != 0
    assert "KeyboardInterrupt" in err
    assert children_in(clone.folder) == []
    assert is_complete(build(clone))
