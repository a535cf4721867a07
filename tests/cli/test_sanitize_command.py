"""`camp check --sanitize` and `camp profile`: what they say, with a program in place of NVIDIA's
tools and the simulator's libraries in place of a GPU's."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import camp.nvidia_tools
import camp.profile.run
import camp.sanitize.run
import camp.toolchain
from camp.bench.cases import BenchCase
from camp.cli import main
from tests.fake_tool import FakeTool

from .conftest import ROOT, Clone

HEAD, TAIL = "========= COMPUTE-SANITIZER\n", "========= ERROR SUMMARY: 1 error\n"
PAGE = ROOT / "tests" / "profile" / "recorded" / "reduce_sum.csv"


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    def sentence(self, code: int) -> str:
        """Checks the exit code; gives the one message."""
        assert self.code == code, self.out + self.err
        (line,) = (line for line in self.err.splitlines() if line.startswith("error: "))
        return line


Run = Callable[..., Done]


@pytest.fixture
def run(built: Clone, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`camp` in this process, in the clone, where no driver can be found."""
    monkeypatch.chdir(built.root)
    for name in ("CAMP_BACKEND", "BUILD_DIR", "CAMP_BUILD_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(camp.toolchain, "find_driver", lambda: None)

    def call(*arguments: str) -> Done:
        code = main(arguments)
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return call


@pytest.fixture
def gpu(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """The same with a GPU made up, whose build is the simulator's; tools are found on PATH."""
    monkeypatch.setattr(camp.nvidia_tools, "require_gpu", lambda: None)
    for module in (camp.sanitize.run, camp.profile.run):
        monkeypatch.setattr(
            module,
            "build_kernel",
            lambda ws, op, *rest: ws.build_dir("sim") / f"libcamp_op_{op}.so",
        )
        monkeypatch.setattr(
            module, "runtime_library", lambda ws, backend: ws.library("sim", "camp_runtime")
        )
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    return run


@pytest.fixture
def sanitizer(tmp_path: Path) -> FakeTool:
    return FakeTool(tmp_path / "bin", "compute-sanitizer")


@pytest.fixture
def ncu(tmp_path: Path) -> FakeTool:
    return FakeTool(tmp_path / "bin", "ncu")


def test_nothing_found(gpu: Run, sanitizer: FakeTool) -> None:
    sanitizer.say(before=HEAD, after=TAIL)
    done = gpu("check", "--sanitize", "copy")
    assert done.code == 0, done.out + done.err
    first = done.out.splitlines()[0]
    assert first == ("copy: nothing found on nvidia (memcheck, racecheck, initcheck, synccheck)")
    assert len(sanitizer.calls()) == 4


def test_a_finding_looks_like_one_of_the_simulator(
    gpu: Run, built: Clone, sanitizer: FakeTool
) -> None:
    line = 1 + built.kernel.read_text().splitlines().index("  if (i < n) y[i] = x[i];")
    record = f"""\
========= Invalid __global__ write of size 4 bytes
=========     at copy_kernel(float *, const float *, long)+0xd0 in {built.kernel}:{line}
=========     by thread (7,0,0) in block (0,0,0)
=========     Access to %(y)#x is out of bounds
=========
"""
    sanitizer.say(before=HEAD, after=TAIL, case="f32-n=1", record=record)
    arguments = ("check", "copy", "--sanitize", "memcheck", "--seed", "5")
    done = gpu(*arguments)
    assert done.code == 1, done.out + done.err
    assert done.out.splitlines()[3:] == [
        f"  ops/copy/nvidia/kernel.cuh:{line}: a thread writes y[1], but y has 1 element "
        "(thread 7 of block 0)",
        f"    {line - 1} |   const int64_t i = int64_t{{blockIdx.x}} * blockDim.x + threadIdx.x;",
        f"    {line} |   if (i < n) y[i] = x[i];",
        "      |              ^~~~",
        f"    {line + 1} | }}",
        "  first seen in case: f32-n=1",
        "  advice: Compare the index with the length before the access.",
        "  lesson: exercises/copy/lesson.md#bounds, or `camp explain out_of_bounds`",
        "  repeat: `camp check copy --sanitize memcheck --seed 5`",
    ]
    told = gpu(*arguments, "--json").document
    assert told["exit_code"] == 1
    (tool,) = told["results"][0]["tools"]
    (finding,) = tool["findings"]
    assert (finding["file"], finding["line"]) == (str(built.kernel), line)
    assert (finding["kind"], finding["tensor"], finding["index"]) == ("out_of_bounds", "y", 1)


def test_a_tool_that_fails_is_the_machines_matter(gpu: Run, sanitizer: FakeTool) -> None:
    sanitizer.say(run_worker=False, after="========= Error: Device not supported\n", code=1)
    done = gpu("check", "copy", "--sanitize", "synccheck")
    assert done.code == 4, done.out + done.err
    assert "compute-sanitizer: it ended without a report: Device not supported" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["check", "copy", "--sanitize", "--backend", "sim"], 2, "the backend is sim"),
        (["check", "copy", "--sanitize"], 4, "no NVIDIA"),
        (["check", "copy", "--sanitize=leaks"], 2, "'leaks' is not one of all, memcheck"),
        (["check", "copy", "--sanitize", "--counters"], 2, "exclude each other"),
        (["profile", "copy", "--backend", "sim"], 2, "the backend is sim"),
        (["profile", "copy"], 4, "no NVIDIA"),
        (["profile", "all"], 2, "one operator"),
    ],
)
def test_where_they_cannot_run_they_say_so(
    run: Run, arguments: list[str], code: int, words: str
) -> None:
    done = run(*arguments)
    assert words in done.sentence(code)
    if code == 4 or "sim" in arguments:
        assert "camp check copy" in done.err  # what the simulator does instead


def test_a_tool_that_is_missing_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(camp.nvidia_tools, "require_gpu", lambda: None)
    monkeypatch.setattr(camp.nvidia_tools, "find_tool", lambda name: None)
    done = run("profile", "copy")
    assert "camp profile: ncu was not found" in done.sentence(4)
    assert "Nsight Compute" in done.err


def test_a_profile_is_a_table_and_a_sentence(
    gpu: Run, ncu: FakeTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = BenchCase("64 f32", "f32", {"y": (64,), "x": (64,)})
    monkeypatch.setattr(camp.profile.run, "find_case", lambda ws, op, name: small)
    ncu.say(log=PAGE.read_text())
    done = gpu("profile", "copy")
    assert done.code == 0, done.out + done.err
    rows = {line.split("  ")[0]: line for line in done.out.splitlines()}
    assert "32.48" in rows["time us"]
    assert "registers" in rows["limited by"]
    assert "next bottleneck: " in done.out
    assert "source: CUDA C++ Best Practices Guide" in done.out
    (result,) = gpu("profile", "copy", "--json").document["results"]
    assert result["case"] == "64 f32"
    assert result["kernels"][0]["registers"] == 38


def test_counters_kept_for_administrators_are_told_in_one_sentence(gpu: Run, ncu: FakeTool) -> None:
    denied = (
        "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
        "Performance Counters on the target device 0.\n"
    )
    ncu.say(run_worker=False, after=denied, code=1)
    done = gpu("profile", "copy")
    assert "keeps the GPU's performance counters for administrators" in done.sentence(4)
    assert "NVreg_RestrictProfilingToAdminUsers=0" in done.err


def test_an_unknown_case_is_answered_with_the_names(gpu: Run, ncu: FakeTool) -> None:
    done = gpu("profile", "copy", "--case", "2^3")
    assert "copy has no case '2^3'" in done.sentence(2)
    assert "2^24 f32" in done.err
