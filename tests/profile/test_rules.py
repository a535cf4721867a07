"""Each rule speaks of a kernel that has its bottleneck, and is silent for a corrected twin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from camp.profile.metrics import KernelProfile, read_raw_page
from camp.profile.rules import RULES, next_bottleneck

# A kernel with nothing to say of: full, half of the memory's peak, many small reasons to wait.
FINE = KernelProfile(
    "fine",
    time_us=10.0,
    grid=1000,
    block=256,
    multiprocessors=132,
    dram_read_bytes=5e6,
    dram_written_bytes=5e6,
    dram_percent=50.0,
    l1_sectors=1000.0,
    ideal_sectors=1000.0,
    occupancy_percent=90.0,
    possible_percent=100.0,
    bank_conflicts=0.0,
    shared_wavefronts=1000.0,
    issue_percent=40.0,
    instructions=1000.0,
    lanes=32.0,
    local_instructions=0.0,
    stalls={"wait": 0.25, "long_scoreboard": 0.2, "barrier": 0.2},
)
MINIMUM = 10e6

BOTTLENECKS = {
    "spills": ({"local_instructions": 100.0}, {"local_instructions": 5.0}),
    "few_blocks": ({"grid": 40}, {"grid": 132}),
    "moved_again": ({"dram_read_bytes": 15e6}, {"dram_read_bytes": 6e6}),
    "scattered": ({"l1_sectors": 4000.0}, {"l1_sectors": 1100.0}),
    "memory_limit": ({"dram_percent": 91.0}, {"dram_percent": 70.0}),
    "bank_conflicts": (
        {"bank_conflicts": 900.0, "stalls": {"mio_throttle": 0.6}},
        {"bank_conflicts": 50.0},
    ),
    "barrier": ({"stalls": {"barrier": 0.6}}, {"stalls": {"barrier": 0.2}}),
    "divergence": ({"lanes": 12.0}, {"lanes": 30.0}),
    "issue": ({"issue_percent": 88.0}, {"issue_percent": 50.0}),
    "throttled": ({"stalls": {"lg_throttle": 0.7}}, {"stalls": {"lg_throttle": 0.1}}),
    "latency": ({"stalls": {"long_scoreboard": 0.8}}, {"stalls": {"long_scoreboard": 0.2}}),
    "shared_latency": (
        {"stalls": {"short_scoreboard": 0.5}},
        {"stalls": {"short_scoreboard": 0.1}},
    ),
}


def test_every_rule_has_a_kernel_here() -> None:
    assert [rule.name for rule in RULES] == list(BOTTLENECKS)
    assert all(rule.source for rule in RULES)
    assert next_bottleneck(FINE, MINIMUM) is None


@pytest.mark.parametrize("name", BOTTLENECKS)
def test_a_rule_speaks_and_its_twin_is_silent(name: str) -> None:
    faulty, corrected = BOTTLENECKS[name]
    found = next_bottleneck(replace(FINE, **faulty), MINIMUM)
    assert found is not None
    assert found.rule == name
    assert next_bottleneck(replace(FINE, **corrected), MINIMUM) is None


@pytest.mark.parametrize(
    ("name", "minimum_bytes", "rule"),
    [
        ("copy_whole", 2 << 26, "memory_limit"),
        ("copy_scattered", 2 << 26, "scattered"),
        ("sum_again", 2 << 26, "moved_again"),
        ("few_blocks", 0, "few_blocks"),
        ("conflicts", 0, "bank_conflicts"),
        ("padded", 0, "barrier"),  # the twin of conflicts: what is left is the next bottleneck
        ("barriers", 0, "barrier"),
        ("arithmetic", 0, "issue"),
        ("divergent", 0, "divergence"),
        ("local_array", 0, "spills"),
    ],
)
def test_kernels_recorded_on_an_h200(name: str, minimum_bytes: float, rule: str) -> None:
    page = (Path(__file__).parent / "recorded" / "kernels.csv").read_text()
    (kernel,) = (kernel for kernel in read_raw_page(page) if kernel.name == name)
    found = next_bottleneck(kernel, minimum_bytes)
    assert found is not None
    assert found.rule == rule


def test_what_is_not_counted_is_not_judged() -> None:
    assert next_bottleneck(KernelProfile("unknown"), MINIMUM) is None


def test_a_kernel_at_the_memorys_limit_is_told_that_it_is_done() -> None:
    found = next_bottleneck(replace(FINE, dram_percent=92.4), MINIMUM)
    assert found is not None
    assert "memory is at 92 % of its peak" in found.text
    assert "the hardware's limit" in found.text


def test_the_cause_comes_before_what_follows_from_it() -> None:
    """Scattered access also fills the memory's queue and moves more bytes."""
    scattered = replace(
        FINE, l1_sectors=8000.0, dram_percent=90.0, dram_read_bytes=80e6,
        stalls={"long_scoreboard": 0.9},
    )  # fmt: skip
    found = next_bottleneck(scattered, MINIMUM)
    assert found is not None
    assert found.rule == "scattered"
    assert "8.0 times" in found.text


def test_waiting_for_memory_names_what_limits_the_warps() -> None:
    waiting = replace(FINE, stalls={"long_scoreboard": 0.8})
    limited = replace(waiting, possible_percent=25.0, limiter="shared memory")
    found = next_bottleneck(limited, MINIMUM)
    assert found is not None
    assert "shared memory let a multiprocessor hold 25 %" in found.text
