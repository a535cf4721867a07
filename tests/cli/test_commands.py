"""test_commands: the commands end to end: exit codes, output, JSON, what is stored."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from camp.cli.app import COMMANDS
from camp.cli.builds import VARIABLES
from camp.cli.lazy import load
from camp.progress import ProgressStore
from camp.spec import list_specs

from .conftest import ROOT, Clone


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The one JSON document on stdout."""
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ---- help ----


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


# ---- listings ----


def test_list_names_every_operator_of_the_tree(built: Clone) -> None:
    shown = built.run("list").stdout
    for spec in list_specs(ROOT):
        assert spec.id in shown
        assert spec.difficulty in shown


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


# ---- check ----


def test_a_pass_is_exit_0_and_stored(built: Clone) -> None:
    shutil.rmtree(built.root / ".camp", ignore_errors=True)
    done = built.run("check", "copy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("copy: PASS on sim, ")
    assert "seed " in done.stdout
    assert "memory traffic: " in done.stdout
    [attempt] = ProgressStore(built.root / ".camp").attempts("copy")
    assert attempt.verdict == "PASS"
    assert attempt.cases_passed == attempt.cases_total > 20


def test_a_failure_is_exit_1_with_the_line_and_a_way_to_repeat_it(built: Clone) -> None:
    path = built.root / "late.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) ", ""))
    done = built.run("check", "copy", "--kernel", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith("copy: OOB on sim, ")
    assert "late.cuh:8: " in done.stdout
    assert "8 |   y[i] = x[i];" in done.stdout
    [repeat] = [line for line in done.stdout.splitlines() if "repeat: " in line]
    words = repeat.split("`")[1].split()
    assert words[:2] == ["camp", "check"]
    again = built.run(*words[1:])
    assert again.stdout == done.stdout


def test_another_file_or_the_solution_is_no_attempt(built: Clone) -> None:
    shutil.rmtree(built.root / ".camp", ignore_errors=True)
    assert built.run("check", "copy", "--kernel", str(built.kernel)).returncode == 0
    assert built.run("check", "copy", "--solution").returncode == 0
    assert ProgressStore(built.root / ".camp").attempts("copy") == []


def test_an_untouched_scaffold_is_not_started(clone: Clone) -> None:
    done = clone.run("check", "softmax")
    assert done.returncode == 1
    assert done.stdout.startswith("softmax: NOT STARTED")
    assert "ops/softmax/nvidia/kernel.cuh:" in done.stdout
    assert "TODO" in done.stdout


def test_json_is_one_document_with_the_whole_grade(built: Clone) -> None:
    done = built.run("check", "copy", "relu", "--json", "--seed", "5")
    assert done.returncode == 0
    found = document(done)
    assert found["exit_code"] == 0
    assert [result["op"] for result in found["results"]] == ["copy", "relu"]
    assert {result["seed"] for result in found["results"]} == {5}
    assert all(result["cases"] for result in found["results"])


def test_json_of_an_error(built: Clone) -> None:
    done = built.run("check", "copi", "--json")
    assert done.returncode == 2
    found = document(done)
    assert found["exit_code"] == 2
    assert found["error"]["kind"] == "UnknownOperatorError"
    assert "did you mean 'copy'?" in found["error"]["message"]


def test_several_operators_give_the_worst_exit_code(clone: Clone) -> None:
    """No build is needed: two are not started, and one does not compile."""
    for op in ("copy", "softmax"):
        assert clone.run("reset", op).returncode == 0
    assert clone.run("check", "copy", "softmax").returncode == 1


# ---- reset, progress ----


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


# ---- bench and run ----


def test_bench_on_sim_counts_traffic_and_names_no_speed(built: Clone) -> None:
    done = built.run("bench", "--op", "copy", "--backend", "sim", "--json")
    assert done.returncode == 0, done.stderr
    [result] = document(done)["results"]
    assert [case["outcome"] for case in result["cases"]] == ["OK"] * len(result["cases"])
    first = result["cases"][0]
    assert first["case"] == "2^14 f32"
    traffic = first["traffic"]
    # 2^14 floats in and out, each sector once: what the byte model demands.
    assert traffic["minimum_bytes"] == traffic["moved_bytes"] == 2 * 4 * 2**14
    assert traffic["global_requests"] == 2 * 2**14 // 32
    sites = [site for site in traffic["sites"] if site["file"].endswith("kernel.cuh")]
    assert {site["line"] for site in sites} == {8}
    shown = built.run("bench", "--op", "copy", "--backend", "sim").stdout
    assert "GB/s" not in shown
    assert " us" not in shown


def test_bench_finds_a_wrong_output(built: Clone) -> None:
    before = built.kernel.read_text()
    built.kernel.write_text(before.replace("y[i] = x[i]", "y[i] = i == 77 ? T(0) : x[i]"))
    try:
        done = built.run("bench", "--op", "copy", "--case", "2^14 f32", "--backend", "sim")
    finally:
        built.kernel.write_text(before)
    assert done.returncode == 1
    assert "2^14 f32: WRONG: y[77]: expected " in done.stdout


def test_bench_survives_a_kernel_that_crashes(built: Clone) -> None:
    before = built.kernel.read_text()
    crash = "if (n == 0) return;\n  *reinterpret_cast<volatile int *>(8) = 1;"
    built.kernel.write_text(before.replace("if (n == 0) return;", crash))
    try:
        done = built.run("bench", "--op", "copy", "--backend", "sim")
    finally:
        built.kernel.write_text(before)
    assert done.returncode == 1
    assert "FAULT" in done.stdout
    assert "Traceback" not in done.stderr


def test_bench_of_an_unknown_case(built: Clone) -> None:
    done = built.run("bench", "--op", "copy", "--case", "2^99 f32", "--backend", "sim")
    assert done.returncode == 2
    assert "hint: cases: 2^14 f32" in done.stderr


def test_run_ops_and_camp_run_are_the_same(built: Clone) -> None:
    arguments = ["--op", "copy", "--backend", "sim", "--mode", "all"]
    script = [sys.executable, str(ROOT / "tests" / "run_ops.py"), *arguments]
    done = subprocess.run(
        script,
        cwd=built.root,
        env=dict(built.environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "copy: PASS on sim" in done.stdout
    assert "x minimum" in done.stdout
    assert built.run("run", *arguments).returncode == 0


def test_run_all_leaves_out_what_is_not_started(built: Clone) -> None:
    started = {"copy", "relu"}
    for spec in list_specs(built.root):
        if spec.id not in started:
            built.run("reset", spec.id)
    done = built.run("run", "--op", "all", "--mode", "bench", "--backend", "sim")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "softmax: not started, not measured" in done.stdout
    assert built.run("run", "--op", "softmax").returncode == 1


def test_dev_check_is_hidden_and_runs(built: Clone) -> None:
    done = built.run("dev", "check")
    assert done.returncode in (0, 1)
    assert "copy" in done.stdout  # its kernel is no longer the scaffold
    assert " dev " not in built.run("--help").stdout


def test_doctor_names_every_tool(built: Clone) -> None:
    done = built.run("doctor")
    assert done.returncode in (0, 4)
    for name in ("python", "compiler", "cmake", "ninja", "camp._native", "gpu"):
        assert any(line.split()[1:2] == [name] for line in done.stdout.splitlines()), name


def test_clean_removes_the_build_and_nothing_else(clone: Clone, tmp_path: Path) -> None:
    folder = tmp_path / "build"
    assert clone.run("configure", BUILD_DIR=str(folder)).returncode == 0
    assert (folder / "build.ninja").exists()
    clone.write_kernel("// mine")
    done = clone.run("clean", BUILD_DIR=str(folder))
    assert done.returncode == 0, done.stderr
    assert not folder.exists()
    assert "// mine" in clone.kernel.read_text()
    assert clone.run("clean", BUILD_DIR=str(folder)).returncode == 0
