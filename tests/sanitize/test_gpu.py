"""Known-bad kernels under the real compute-sanitizer: each found at its line, its twin clean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from camp.build import build_variants
from camp.nvidia_tools import SANITIZER, find_tool
from camp.sanitize.run import TOOLS, sanitize
from camp.workspace import Workspace

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_tool(SANITIZER) is None, reason="needs compute-sanitizer"),
]

# Kernel -> the checker that finds it, and the kind of its finding.
FAULTS = {
    "copy/B07_no_count": ("memcheck", "out_of_bounds"),
    "copy/B04_pairs_unaligned": ("memcheck", "misaligned"),
    "reduce_sum/B14_unrolled_last_warp": ("racecheck", "race"),
    "softmax/B28_buffer_reused": ("racecheck", "race"),
    "reduce_sum/B52_target_not_cleared": ("initcheck", "uninitialised_read"),
    "copy/barrier_in_branch": ("synccheck", "divergent_barrier"),
}


def _file(root: Path, name: str) -> Path:
    """A kernel of tests/faulty, or one of this folder."""
    own = Path(__file__).parent / "kernels" / f"{name.partition('/')[2]}.cuh"
    return own if own.exists() else root / "tests" / "faulty" / f"{name}.cuh"


@pytest.fixture(scope="module")
def built(root: Path) -> Mapping[str, Path]:
    """All kernels, compiled side by side: name -> kernel file."""
    files = {name: _file(root, name) for fault in FAULTS for name in (fault, f"{fault}_fixed")}
    wanted = [(name.partition("/")[0], path) for name, path in files.items()]
    build_variants(Workspace(root), "nvidia", wanted)
    return files


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_at_its_line(root: Path, built: Mapping[str, Path], name: str) -> None:
    op, (tool, kind) = name.partition("/")[0], FAULTS[name]
    result = sanitize(Workspace(root), op, tools=[tool], kernel=built[name], seed=7)
    assert result.exit_code == 1, result
    faults = [finding.fault for finding in result.findings if finding.fault.kind == kind]
    assert faults, result
    lines = built[name].read_text().splitlines()
    marked = {number for number, line in enumerate(lines, 1) if "// fault: " in line}
    seen: set[int] = set()
    for fault in faults:
        assert fault.location is not None
        assert fault.location.file == str(built[name])
        seen |= {place.line for place in (fault.location, fault.other_location) if place}
        assert "thread" in fault.raw
        assert "block" in fault.raw
    # One fault may show at more lines than the marked one: a misaligned pair is also written so.
    assert not marked or marked & seen, faults


@pytest.mark.parametrize("name", FAULTS)
def test_the_corrected_twin_is_clean(root: Path, built: Mapping[str, Path], name: str) -> None:
    op = name.partition("/")[0]
    twin = built[f"{name}_fixed"]
    result = sanitize(Workspace(root), op, tools=list(TOOLS), kernel=twin, seed=7)
    assert result.exit_code == 0, result
    assert all(run.cases == result.cases for run in result.runs)
