"""test_page: docs/counters.md says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

from camp.counters.document import document
from camp.counters.gpus import DEFAULT_GPU, GPUS
from camp.counters.rules_launch import LAUNCH_RULES
from camp.counters.rules_memory import MEMORY_RULES

from .reports import branch, coalesced, counters, launch

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "counters.md").read_text(encoding="utf-8")


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under a heading of the page."""
    section = PAGE.split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    table = [line.strip("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")] for line in table[2:]]


def test_the_rules_are_those_of_the_program() -> None:
    rules = (*MEMORY_RULES, *LAUNCH_RULES)
    said = [
        [rule.name, re.sub(r"\s+", " ", rule.find.__doc__ or "").rstrip("."), rule.source]
        for rule in rules
    ]
    assert rows("The suggestions") == said


def test_the_gpus_are_those_of_the_program() -> None:
    known = [
        [
            *(gpu.capability, gpu.model, str(gpu.multiprocessors), str(gpu.threads)),
            *(str(gpu.blocks), f"{gpu.shared_bytes // 1024} KiB"),
            f"{gpu.block_shared_bytes // 1024} KiB",
        ]
        for gpu in GPUS.values()
    ]
    assert rows("Occupancy") == known


def test_the_keys_are_those_of_the_json() -> None:
    section = PAGE.split("## In JSON\n", 1)[1].split("\n## ", 1)[0]
    report = launch(coalesced("global_load", 10, 32), branches=[branch(10, 32, 32)])
    written = document(counters(report))
    assert [name for name in written if f"`{name}" not in section] == ["has_branches"]
    for part in ("lines", "suggestions"):
        [entry, *_] = written[part]
        short = {"kinds", "active_lanes", "ideal_lanes"}  # a word for them
        assert {name for name in entry if f"`{name}`" not in section} <= short
    assert all(f"`{name}`" in section for name in written["global"])


def test_the_default_gpu_is_the_one_simulated() -> None:
    text = (ROOT / "native" / "sim" / "include" / "camp_sim" / "engine.h").read_text()
    simulated = dict(re.findall(r"static constexpr (?:int|size_t) (\w+) = ([\d* ]+);", text))
    assert int(simulated["multiprocessors"]) == DEFAULT_GPU.multiprocessors
    assert int(simulated["max_threads_per_multiprocessor"]) == DEFAULT_GPU.threads
    assert simulated["shared_bytes_optin"] == f"{DEFAULT_GPU.block_shared_bytes // 1024} * 1024"
