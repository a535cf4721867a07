"""test_commands: help, listings, resetting and progress, end to end."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import Any

import pytest

from camp.cli.app import COMMANDS
from camp.cli.builds import VARIABLES
from camp.cli.lazy import load
from camp.ladders import ladder
from camp.spec import list_specs

from .conftest import ROOT, Clone
from .helpers import document


def test_help_lists_every_command_with_its_own_first_line() -> None:
    for name, command in COMMANDS.items():
        loaded = load(name, command)
        assert loaded.get_short_help_str(limit=200) == command.help, name


def test_help_imports_nothing_heavy(built: Clone) -> None:
    code = (
        "import sys; from camp.cli import main; main(['--help']); "
        "heavy = {'numpy', 'rich', 'sqlite3', 'importlib.metadata', 'camp.grading'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=built.root,
        env=dict(built.environment),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.strip() == "[]"
    for name, command in COMMANDS.items():
        assert command.hidden or f"  {name} " in done.stdout


def test_camp_alone_shows_the_help(built: Clone) -> None:
    done = built.run()
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: camp ")


def test_version(built: Clone) -> None:
    import camp

    assert built.run("--version").stdout == f"camp {camp.__version__}\n"


def test_list_names_every_operator_of_the_tree(built: Clone) -> None:
    shown = built.run("list").stdout
    for spec in list_specs(ROOT):
        [line] = [line for line in shown.splitlines() if line.startswith(f"{spec.id} ")]
        assert spec.difficulty in line
        assert line.split()[-1] == str(len(ladder(ROOT, spec.id)))


def test_env_says_what_is_in_force(built: Clone) -> None:
    done = built.run("env", "--json", CMAKE_CUDA_ARCHITECTURES="89", BUILD_DIR="elsewhere")
    found = document(done)
    assert found["backend"] == "sim"
    assert found["build_dir"] == str(built.root / "elsewhere")
    assert found["variables"]["CMAKE_CUDA_ARCHITECTURES"] == "89"
    assert set(found["variables"]) == {name for name, _, _ in VARIABLES}
    shown = built.run("env", CMAKE_CUDA_ARCHITECTURES="89").stdout
    assert any(
        line.split()[:2] == ["CMAKE_CUDA_ARCHITECTURES", "89"] for line in shown.splitlines()
    )


def test_reset_keeps_what_was_written(clone: Clone) -> None:
    clone.write_kernel("// mine")
    mine = clone.kernel.read_text()
    done = clone.run("reset", "copy")
    assert done.returncode == 0
    assert "is kept as" in done.stderr
    [kept] = (clone.root / ".camp" / "replaced").iterdir()
    assert kept.read_text() == mine
    assert "TODO(camp) 1" in clone.kernel.read_text()
    assert "is kept as" not in clone.run("reset", "copy").stderr


def test_progress_follows_what_happens(built: Clone) -> None:
    shutil.rmtree(built.root / ".camp", ignore_errors=True)
    before = built.kernel.read_text()

    def status() -> dict[str, Any]:
        rows = document(built.run("progress", "--json"))["operators"]
        assert [row["operator"] for row in rows] == [spec.id for spec in list_specs(ROOT)]
        return next(row for row in rows if row["operator"] == "copy")

    assert status()["status"] == "not checked"
    built.run("check", "copy")
    assert (status()["status"], status()["attempts"]) == ("passed", 1)
    built.kernel.write_text(before.replace("if (i < n) ", ""))
    assert status()["status"] == "changed since it passed"
    built.run("check", "copy")
    built.kernel.write_text(before)
    assert (status()["status"], status()["attempts"]) == ("passed", 2)
    assert status()["last_verdict"] == "OOB"


@pytest.mark.parametrize("columns", ["50", "80", "120"])
def test_progress_fits_the_terminal(built: Clone, columns: str) -> None:
    """`script` gives the command a terminal."""
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    command = " ".join(built.command("progress"))
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        cwd=built.root,
        env={**built.environment, "COLUMNS": columns, "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= int(columns)
    assert all(any(spec.id in line for line in lines) for spec in list_specs(ROOT))
    assert "\033[3" not in done.stdout
