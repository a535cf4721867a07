"""A solution under the real ncu."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.nvidia_tools import PROFILER, find_tool
from camp.profile.run import profile
from camp.workspace import Workspace

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_tool(PROFILER) is None, reason="needs ncu"),
]


def test_a_call_of_copy_reads_and_writes_each_byte_once(root: Path) -> None:
    workspace = Workspace(root)
    result = profile(workspace, "copy", case="2^24 f32", kernel=workspace.solution("copy"))
    (kernel,) = result.kernels
    half = result.case.minimum_bytes / 2
    assert kernel.dram_read_bytes == pytest.approx(half, rel=0.1)
    assert kernel.l1_sectors == pytest.approx(result.case.minimum_bytes / 32, rel=0.05)
    assert kernel.time_us is not None
    assert kernel.time_us > 0
    assert kernel.registers is not None
    assert kernel.top_stall[0]
