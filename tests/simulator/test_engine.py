"""test_engine: the simulator runs CUDA programs right, and sees every fault but no other."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from camp.simulator.symbolize import symbolize
from tests.simulator.harness import ROOT, Outcome, compile_program, run_program

PROGRAMS = Path(__file__).parent / "programs"

# (program, kernel) -> kind. The reported line is the one marked `// fault: kernel`; without such a
# line, either of two may be reported.
FAULTS = {
    ("memory_faults", "past_end"): "out_of_bounds",
    ("memory_faults", "before_begin"): "out_of_bounds",
    ("memory_faults", "vector_tail"): "out_of_bounds",
    ("memory_faults", "null_pointer"): "null_pointer",
    ("memory_faults", "misaligned"): "misaligned",
    ("memory_faults", "shared_past_end"): "out_of_bounds",
    ("memory_faults", "dynamic_past_end"): "out_of_bounds",
    ("memory_faults", "array_index"): "out_of_bounds",
    ("memory_faults", "shared_unwritten"): "uninitialised_read",
    ("memory_faults", "global_unwritten"): "uninitialised_read",
    ("memory_faults", "half_written"): "uninitialised_read",
    ("memory_faults", "stack_overflow"): "stack_overflow",
    ("race_faults", "missing_barrier"): "race",
    ("race_faults", "hidden_by_luck"): "race",
    ("race_faults", "volatile_flag"): "race",
    ("race_faults", "reused_buffer"): "race",
    ("race_faults", "warp_synchronous"): "race",
    ("race_faults", "shuffle_is_no_fence"): "race",
    ("race_faults", "partial_syncwarp"): "race",
    ("race_faults", "across_blocks"): "race",
    ("race_faults", "unfenced_last_block"): "race",
    ("race_faults", "plain_beside_atomic"): "race",
    ("race_faults", "unchecked_guess"): "race",
    ("race_faults", "conflicting_writes"): "race",
    ("race_faults", "same_value"): "redundant_write",
    ("order_faults", "counted_by_one_lane"): "race",
    ("order_faults", "fenced_before_barrier"): "race",
    ("order_faults", "left_before_syncwarp"): "race",
    ("order_faults", "write_behind_atomic"): "race",
    ("order_faults", "second_atomic"): "race",
    ("order_faults", "second_half_differs"): "race",
    ("hazards", "small_tile"): "race",
    ("hazards", "tile_for_block"): "race",
    ("hazards", "coalesced"): "race",
    ("hazards", "chain_of_masks"): "race",
    ("hazards", "shifted_in_place"): "race",
    ("hazards", "fence_waits_not"): "race",
    ("hazards", "fence_for_block"): "race",
    ("hazards", "masks_disagree"): "warp_mask",
    ("hazards", "operations_disagree"): "deadlock",
    ("hazards", "absent_value"): "warp_mask",
    ("hazards", "misaligned_in_shared"): "misaligned",
    ("hazards", "block_scope"): "race",
    ("hazards", "kept_total"): "device_variable",
    ("sync_faults", "different_barriers"): "divergent_barrier",
    ("sync_faults", "early_exit"): "early_exit",
    ("sync_faults", "barrier_against_shuffle"): "deadlock",
    ("sync_faults", "mask_beyond_block"): "warp_mask",
    ("sync_faults", "mask_of_returned"): "warp_mask",
    ("sync_faults", "mask_without_self"): "warp_mask",
    ("sync_faults", "absent_source"): "warp_mask",
    ("sync_faults", "endless_loop"): "endless_loop",
    ("sync_faults", "endless_silent_loop"): "endless_loop",
    ("sync_faults", "endless_byte_loop"): "endless_loop",
    ("sync_faults", "failed_assert"): "assertion",
    ("sync_faults", "block_too_large"): "launch_limit",
    ("sync_faults", "grid_y_too_large"): "launch_limit",
    ("sync_faults", "empty_grid"): "launch_limit",
    ("sync_faults", "too_much_shared"): "launch_limit",
}
WARNINGS = {"redundant_write", "early_exit", "device_variable"}


@pytest.fixture(scope="module")
def programs(sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("programs")
    sources = sorted(PROGRAMS.glob("*.cu"))
    assert len(sources) >= 5
    return {source.stem: compile_program(source, sim_runtime, directory) for source in sources}


@pytest.mark.parametrize("name", ["warp", "block", "lock", "noinline"])
def test_a_correct_program_runs_right_and_silent(programs: dict[str, Path], name: str) -> None:
    outcome = run_program(programs[name])
    assert outcome.code == 0, outcome.output
    assert outcome.faults == []


def _marked_line(program: str, kernel: str) -> int | None:
    text = (PROGRAMS / f"{program}.cu").read_text().splitlines()
    for number, line in enumerate(text, start=1):
        if line.endswith(f"// fault: {kernel}"):
            return number
    return None


def _line_of(site: dict[str, Any] | None) -> tuple[str, int] | None:
    if site is None:
        return None
    if "file" in site:
        return Path(site["file"]).name, site["line"]
    [place] = symbolize([(Path(site["module"]), site["offset"])])
    return (Path(place.file).name, place.line) if place is not None else None


@pytest.mark.parametrize(("program", "kernel"), sorted(FAULTS))
def test_a_fault_is_seen_at_its_line(programs: dict[str, Path], program: str, kernel: str) -> None:
    outcome = run_program(programs[program], kernel, "bad")
    assert outcome.code == 0, outcome.output
    kind = FAULTS[program, kernel]
    assert [fault["kind"] for fault in outcome.faults][:1] == [kind], outcome.output
    fault = outcome.faults[0]
    assert fault["severity"] == ("warning" if kind in WARNINGS else "error")
    assert fault["message"]
    line = _marked_line(program, kernel)
    if line is not None:
        # Which of two racing accesses comes second is a matter of schedule.
        assert (f"{program}.cu", line) in (
            _line_of(fault["site"]),
            _line_of(fault.get("other_site")),
        )


@pytest.mark.parametrize(
    ("program", "kernel"),
    [
        *sorted(FAULTS),
        ("race_faults", "adjacent_bytes"),
        ("hazards", "copied_barriers"),
        ("hazards", "block_scope_within"),
    ],
)
def test_the_corrected_twin_is_silent(programs: dict[str, Path], program: str, kernel: str) -> None:
    outcome: Outcome = run_program(programs[program], kernel, "good")
    assert outcome.code == 0, outcome.output
    assert outcome.faults == []


def test_a_race_on_a_device_variable_is_told_with_its_name(programs: dict[str, Path]) -> None:
    bad = run_program(programs["hazards"], "raced_variable", "bad").faults
    assert {fault["kind"] for fault in bad} == {"device_variable", "race"}
    races = [fault for fault in bad if fault["kind"] == "race"]
    assert {race["tensor"] for race in races} == {"scratch"}
    good = run_program(programs["hazards"], "raced_variable", "good").faults
    assert [(fault["kind"], fault["count"]) for fault in good] == [("device_variable", 64)]


def test_many_threads_with_one_fault_are_one_report(programs: dict[str, Path]) -> None:
    [fault] = run_program(programs["memory_faults"], "past_end", "bad").faults
    assert fault["count"] == 27  # 32 threads, 5 elements
    assert (fault["index"], fault["elements"], fault["access"]) == (5, 5, "write")


def test_every_marked_line_is_tested() -> None:
    marked = {
        (source.stem, line.rsplit("// fault: ", 1)[1])
        for source in PROGRAMS.glob("*.cu")
        for line in source.read_text().splitlines()
        if "  // fault: " in line
    }
    assert marked <= set(FAULTS)
    assert len(marked) >= 30


def test_the_programs_are_formatted_as_json_reports(programs: dict[str, Path]) -> None:
    done = subprocess.run([programs["block"]], capture_output=True, text=True, check=True, cwd=ROOT)
    report = json.loads(done.stdout.splitlines()[-1])
    kernels = {launch["kernel"] for launch in report["launches"]}
    assert {"index_kernel", "last_block_kernel"} <= kernels
