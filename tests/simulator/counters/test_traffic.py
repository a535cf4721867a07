"""test_traffic: requests, sectors, wavefronts and turns of single lines, counted by hand."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.simulator.counters.lines import traffic_by_line
from tests.simulator.harness import Outcome, compile_program, run_program

SOURCE = Path(__file__).parent / "traffic.cu"

# (name of the line, kind) -> counters; those left out are 0. One warp a kernel.
GLOBAL = {
    ("coalesced", "global_load"): {"lanes": 32, "bytes": 128, "sectors": 4, "ideal_sectors": 4},
    ("strided", "global_load"): {"lanes": 32, "bytes": 128, "sectors": 32, "ideal_sectors": 4},
    ("strided", "global_store"): {"lanes": 32, "bytes": 128, "sectors": 32, "ideal_sectors": 4},
    ("misaligned", "global_load"): {"lanes": 32, "bytes": 128, "sectors": 5, "ideal_sectors": 4},
    ("vectors", "global_load"): {"lanes": 32, "bytes": 512, "sectors": 16, "ideal_sectors": 16},
    ("half_of_the_vectors", "global_load"): {
        "lanes": 16, "bytes": 256, "sectors": 16, "ideal_sectors": 8, "full_requests": 0,
    },
    ("one_word", "global_load"): {"lanes": 32, "bytes": 128, "sectors": 1, "ideal_sectors": 1},
    ("half_shuffles", "global_store"): {
        "lanes": 32, "bytes": 128, "sectors": 4, "ideal_sectors": 4,
    },
}  # fmt: skip
SHARED = {
    ("one_bank", "shared_store"): {"bytes": 128, "wavefronts": 32, "ideal_wavefronts": 1},
    ("own_banks", "shared_store"): {"bytes": 128, "wavefronts": 1, "ideal_wavefronts": 1},
    ("shared_vectors", "shared_load"): {"bytes": 512, "wavefronts": 4, "ideal_wavefronts": 4},
    ("shared_pairs", "shared_load"): {"bytes": 512, "wavefronts": 2, "ideal_wavefronts": 2},
}
ATOMIC = {
    # A pass for each of 32 lanes, and each touches the sector anew.
    ("same_address", "global_atomic"): {"sectors": 32, "ideal_sectors": 1, "serialized": 32},
    ("own_address", "global_atomic"): {"sectors": 4, "ideal_sectors": 4, "serialized": 1},
    ("same_shared_address", "shared_atomic"): {
        "wavefronts": 32, "ideal_wavefronts": 1, "serialized": 32,
    },
    ("own_shared_address", "shared_atomic"): {
        "wavefronts": 1, "ideal_wavefronts": 1, "serialized": 1,
    },
}  # fmt: skip
USUAL = {"requests": 1, "full_requests": 1, "lanes": 32}
EXPECTED = {
    **{key: {**USUAL, **counters} for key, counters in (GLOBAL | SHARED).items()},
    **{key: {**USUAL, "bytes": 128, **counters} for key, counters in ATOMIC.items()},
}


@pytest.fixture(scope="module", params=[False, True], ids=["plain", "traced"])
def outcome(
    request: pytest.FixtureRequest, sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory
) -> Outcome:
    folder = tmp_path_factory.mktemp("traffic")
    program = compile_program(SOURCE, sim_runtime, folder, counted=request.param)
    found = run_program(program)
    assert found.code == 0, found.output
    assert found.faults == []
    return found


def counts_of(outcome: Outcome, name: str, kind: str) -> Counter[str]:
    [launch] = [each for each in outcome.launches if each["kernel"] == name]
    return +traffic_by_line(SOURCE, launch["sites"])[name, kind]


@pytest.mark.parametrize(("name", "kind"), sorted(EXPECTED))
def test_counters_of_a_line(outcome: Outcome, name: str, kind: str) -> None:
    expected = {key: value for key, value in EXPECTED[name, kind].items() if value}
    assert counts_of(outcome, name, kind) == expected


def test_lanes_in_different_rounds_make_requests_of_their_own(
    sim_runtime: Path, tmp_path: Path
) -> None:
    traced = run_program(compile_program(SOURCE, sim_runtime, tmp_path, counted=True))
    found = counts_of(traced, "rounds_apart", "global_load")
    assert (found["requests"], found["lanes"], found["full_requests"]) == (4, 4, 0)


def test_every_marked_line_is_tested(outcome: Outcome) -> None:
    kernels = {launch["kernel"] for launch in outcome.launches}
    assert kernels == {name for name, _ in EXPECTED} | {"rounds_apart"}
