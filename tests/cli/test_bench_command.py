"""test_bench_command: `camp bench`, `camp run` and the smaller commands, end to end."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from camp.spec import list_specs

from .conftest import ROOT, Clone
from .helpers import document


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
    assert traffic["global"]["requests"] == 2 * 2**14 // 32
    [line] = [line for line in first["counters"]["lines"] if line["kinds"]]
    assert (line["file"], line["line"]) == (str(built.kernel), 8)
    shown = built.run("bench", "--op", "copy", "--backend", "sim").stdout
    assert re.search(r"1\.0/1\.0 .*8 \|   if \(i < n\) y\[i\] = x\[i\];", shown)
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
