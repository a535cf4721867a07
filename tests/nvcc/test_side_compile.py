"""nvcc beside a check: what it answers, that answers are kept, and that nothing of it stays."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path

import pytest

from camp.nvcc import side_compile
from camp.nvcc.report import NvccReport
from camp.nvcc.side_compile import FLAGS, SideCompile, beside
from camp.workspace import Workspace

from .conftest import FakeNvcc
from .processes import is_gone

COMPILED = """\
cat >&2 <<'END'
ptxas info    : Compiling entry function '_Z11copy_kernelIfEvPT_PKS0_' for 'sm_90'
ptxas info    : Function properties for _Z11copy_kernelIfEvPT_PKS0_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
END
exit 0"""


def ask(workspace: Workspace, fake: FakeNvcc) -> NvccReport | None:
    with SideCompile(workspace, "copy", fake.kernel) as side:
        return side.finish(30)


def test_an_answer_is_kept_until_something_changes(
    workspace: Workspace, fake_nvcc: FakeNvcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvcc.says(COMPILED)
    first = ask(workspace, fake_nvcc)
    assert first is not None
    assert (first.status, first.architecture, first.version) == ("compiled", "sm_90", "13.1")
    assert [(kernel.name, kernel.registers) for kernel in first.kernels] == [
        ("copy_kernel<float>", 12)
    ]
    assert ask(workspace, fake_nvcc) == first
    assert fake_nvcc.times_asked == 1

    fake_nvcc.kernel.write_text(fake_nvcc.kernel.read_text() + "// edited\n")
    assert ask(workspace, fake_nvcc) == first
    assert fake_nvcc.times_asked == 2

    fake_nvcc.header.write_text("#pragma once\nint more;\n")
    assert ask(workspace, fake_nvcc) == first
    assert fake_nvcc.times_asked == 3

    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", "80;90")
    other = ask(workspace, fake_nvcc)
    assert other is not None
    assert other.architecture == "sm_80"
    assert "-arch=sm_80" in fake_nvcc.calls.read_text().splitlines()[3]

    [kept] = (workspace.build_dir("sim") / "nvcc").iterdir()
    kept.write_text('{"question": 1}')
    assert ask(workspace, fake_nvcc) == other
    assert fake_nvcc.times_asked == 5


def test_a_refusal_is_told_at_the_learners_line(workspace: Workspace, fake_nvcc: FakeNvcc) -> None:
    message = f'echo "{fake_nvcc.kernel}(5): error: device code does not support exceptions" >&2'
    fake_nvcc.says(f"{message}\nexit 1")
    report = ask(workspace, fake_nvcc)
    assert report is not None
    assert report.status == "refused"
    [found] = report.diagnostics
    assert (found.file, found.line) == (str(fake_nvcc.kernel), 5)
    assert found.message == "device code does not support exceptions"
    assert ask(workspace, fake_nvcc) == report
    assert fake_nvcc.times_asked == 1


def test_a_refusal_inside_a_header_is_told_where_the_learner_caused_it(
    workspace: Workspace, fake_nvcc: FakeNvcc
) -> None:
    fake_nvcc.says(
        f"""cat >&2 <<'END'
/x/ops/common/vector.cuh(30): error: no operator "=" matches these operands
      y[0] = x[0];
           ^
          instantiation of "void f(T *) [with T=int]" at line 5 of {fake_nvcc.kernel}
END
exit 1"""
    )
    report = ask(workspace, fake_nvcc)
    assert report is not None
    [found] = report.diagnostics
    assert (report.status, found.file, found.line) == ("refused", str(fake_nvcc.kernel), 5)
    assert "vector.cuh:30" in found.message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("echo 'sh: 1: ptxas: not found' >&2; exit 127", "sh: 1: ptxas: not found"),
        (
            "echo '/cuda/crt/host_config.h(150): error: unsupported GNU version' >&2; exit 1",
            "unsupported GNU version",
        ),
        (
            "echo \"nvcc fatal   : Unsupported gpu architecture 'sm_20'\" >&2; exit 1",
            "Unsupported gpu architecture 'sm_20'",
        ),
        ("kill -9 $$", "ended without a message"),
    ],
)
def test_trouble_of_its_own_is_no_refusal_and_not_kept(
    workspace: Workspace, fake_nvcc: FakeNvcc, body: str, message: str
) -> None:
    fake_nvcc.says(body)
    for times in (1, 2):
        report = ask(workspace, fake_nvcc)
        assert report is not None
        assert report.status == "failed"
        assert message in report.message
        assert fake_nvcc.times_asked == times


# ---- nothing of it stays ----

HANGS = 'echo $$ > "$TMPDIR/../started"; sleep 300 & sleep 300'


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders go."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def group_of(temporary: Path) -> int:
    """The process group of a fake that hangs, once it does."""
    deadline = time.monotonic() + 30
    started = temporary / "started"
    while not started.exists() or not started.read_text().strip():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return int(started.read_text())


def test_one_that_hangs_is_stopped_with_all_it_started(
    workspace: Workspace, fake_nvcc: FakeNvcc, temporary: Path
) -> None:
    fake_nvcc.says(HANGS)
    with SideCompile(workspace, "copy", fake_nvcc.kernel) as side:
        group = group_of(temporary)
        assert side.running
        report = side.finish(0.05)
        assert not side.running
    assert report is not None
    assert (report.status, report.message) == ("stopped", "no answer within 0.05 s")
    assert is_gone(group)
    assert [path.name for path in temporary.iterdir()] == ["started"]


def test_an_interrupt_stops_it(workspace: Workspace, fake_nvcc: FakeNvcc, temporary: Path) -> None:
    fake_nvcc.says(HANGS)
    side = SideCompile(workspace, "copy", fake_nvcc.kernel)
    side.__enter__()
    group = group_of(temporary)
    side.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert is_gone(group)
    assert [path.name for path in temporary.iterdir()] == ["started"]


# ---- where it has no say ----


def test_without_an_nvcc_there_is_no_answer(
    workspace: Workspace, fake_nvcc: FakeNvcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_compile, "find_nvcc", lambda: None)
    assert ask(workspace, fake_nvcc) is None


def test_a_wrong_setting_is_not_the_checks_affair(
    workspace: Workspace, fake_nvcc: FakeNvcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDACXX", "/no/such/nvcc")
    assert ask(workspace, fake_nvcc) is None


def test_a_kernel_for_cute_is_left_out_where_its_headers_are_not_here(
    workspace: Workspace, fake_nvcc: FakeNvcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMP_ENABLE_CUTE", "OFF")
    fake_nvcc.kernel.write_text("#ifndef CAMP_SIM\n#include <cute/tensor.hpp>\n#endif\n")
    assert ask(workspace, fake_nvcc) is None
    assert fake_nvcc.times_asked == 0


def test_it_is_not_asked_where_it_is_not_wanted(
    workspace: Workspace, fake_nvcc: FakeNvcc, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CAMP_CHECK_NVCC", raising=False)
    with beside(workspace, "copy", fake_nvcc.kernel) as side:
        assert side is not None
    for kernel, wanted in ((fake_nvcc.kernel, False), (fake_nvcc.kernel.parent / "absent", True)):
        with beside(workspace, "copy", kernel, wanted=wanted) as side:
            assert side is None
    monkeypatch.setenv("CAMP_CHECK_NVCC", "0")
    with beside(workspace, "copy", fake_nvcc.kernel) as side:
        assert side is None


def test_the_flags_are_those_of_the_backend(root: Path) -> None:
    text = (root / "ops" / "cmake" / "nvidia.cmake").read_text()
    options = re.search(r"set\(CAMP_NVCC_OPTIONS ([^)]*)\)", text)
    standard = re.search(r"set\(CMAKE_CUDA_STANDARD (\d+)\)", text)
    assert options is not None
    assert standard is not None
    theirs = {word for word in options[1].split() if not word.startswith("-Xcompiler")}
    assert theirs | {f"-std=c++{standard[1]}"} == set(FLAGS) - {"-cubin", "-Xptxas=-v"}
