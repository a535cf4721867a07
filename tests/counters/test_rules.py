"""test_rules: every rule of advice speaks for a known case, with its numbers and line, and is
silent for the corrected twin."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from camp.counters.advice import Finding, suggest
from camp.counters.gpus import GPUS
from camp.counters.model import TensorBytes
from camp.counters.rules_launch import LAUNCH_RULES
from camp.counters.rules_memory import MEMORY_RULES

from .reports import branch, coalesced, counters, launch, shared, site

LOAD, STORE = coalesced("global_load", 10, 32), coalesced("global_store", 11, 32)


class Known(NamedTuple):
    """Launches for which a rule speaks of `line` (0: of the whole kernel), and their twins."""

    rule: str
    speaks: list[dict[str, Any]]
    line: int
    text: str
    silent: list[dict[str, Any]]


CASES = [
    Known(
        "scattered",
        [launch(site("global_load", 10, 32, sectors=1024, ideal_sectors=128), STORE)],
        10,
        "a request touches 32 sectors where 4 hold its bytes: let neighbouring threads touch "
        "neighbouring addresses",
        [launch(LOAD, STORE)],
    ),
    Known(  # Too few to matter: the odd end of a tensor.
        "scattered",
        [launch(site("global_load", 10, 1, sectors=32, ideal_sectors=4), LOAD, STORE)],
        10,
        "a request touches 32 sectors where 4 hold",
        [launch(site("global_load", 10, 1, sectors=6, ideal_sectors=4), LOAD, STORE)],
    ),
    Known(  # Half of the lanes store every other element: a matter of branches.
        "scattered",
        [launch(LOAD, coalesced("global_store", 11, 32, sectors=1024))],
        11,
        "32 sectors where 4 hold",
        [launch(LOAD, coalesced("global_store", 11, 32, lanes=512, bytes=2048, ideal_sectors=64))],
    ),
    Known(
        "misaligned",
        [launch(coalesced("global_load", 10, 32, sectors=160), STORE)],
        10,
        "a request touches 5 sectors where 4 hold its bytes: the warp begins inside a sector",
        [launch(LOAD, STORE)],
    ),
    Known(
        "narrow",
        [launch(LOAD, STORE)],
        10,
        "a thread moves 4 bytes at a time (lines 10 and 11): one access of 16 bytes (such as "
        "float4) does the work of 4",
        [
            launch(
                coalesced("global_load", 10, 8, bytes=4096, sectors=128, ideal_sectors=128),
                coalesced("global_store", 11, 8, bytes=4096, sectors=128, ideal_sectors=128),
                coalesced("global_load", 12, 2),  # the tail, a few elements
            )
        ],
    ),
    Known(  # One word for all lanes cannot be read 16 bytes at a time.
        "narrow",
        [launch(LOAD)],
        10,
        "a thread moves 4 bytes at a time",
        [launch(site("global_load", 10, 32, sectors=32, ideal_sectors=32))],
    ),
    Known(
        "bank_conflict",
        [launch(shared("shared_load", 20, 32, ways=32), shared("shared_store", 19, 32))],
        20,
        "32-way bank conflict: lanes whose addresses differ by a multiple of 128 bytes take turns; "
        "pad each row by one element",
        [launch(shared("shared_load", 20, 32), shared("shared_store", 19, 32))],
    ),
    Known(
        "same_address",
        [
            launch(
                LOAD,
                site("global_atomic", 15, 32, sectors=1024, ideal_sectors=32, serialized=1024),
            )
        ],
        15,
        "32 lanes of a request meet on one address and take turns: add up in the warp",
        [
            launch(
                LOAD,
                site(
                    "global_atomic", 15, 32, lanes=32, sectors=32, ideal_sectors=32, serialized=32
                ),
            )
        ],
    ),
    Known(
        "same_address",
        [launch(shared("shared_atomic", 15, 32, ways=8, serialized=256))],
        15,
        "8 lanes of a request meet on one address",
        [launch(shared("shared_atomic", 15, 32, serialized=32))],
    ),
    Known(
        "moved_again",
        [launch(*(coalesced("global_load", line, 32) for line in (10, 20, 30)), STORE)],
        30,
        "3.0 times the bytes of x are read (lines 10, 20 and 30): keep values in registers",
        [launch(*(coalesced("global_load", line, 16) for line in (10, 20)), STORE)],
    ),
    Known(
        "moved_again",
        [launch(LOAD, STORE, coalesced("global_store", 12, 32))],
        12,
        "2.0 times the bytes of y are written (lines 11 and 12): keep values in registers until",
        [launch(LOAD, STORE)],
    ),
    Known(  # Many lines with a small part each.
        "moved_again",
        [launch(*(coalesced("global_load", line, 16) for line in range(10, 30)), STORE)],
        29,
        "10.0 times the bytes of x are read (lines 10, 11, 12,",
        [launch(*(coalesced("global_load", line, 2) for line in range(10, 30)), STORE)],
    ),
    Known(
        "divergence",
        [launch(LOAD, branches=[branch(10, 32, 32), branch(14, 32, 16), branch(16, 32, 16)])],
        14,
        "16.0 of 32 lanes run here on average, and 33% of k<float>'s lanes are idle",
        [launch(LOAD, branches=[branch(10, 32, 32), branch(14, 16, 32), branch(16, 16, 32)])],
    ),
    Known(  # One lane for the block's result is no divergence worth a word.
        "divergence",
        [launch(branches=[branch(10, 64, 32), branch(14, 32, 1)])],
        14,
        "1.0 of 32 lanes run here on average",
        [launch(branches=[branch(10, 640, 32), branch(14, 32, 1)])],
    ),
    Known(
        "barriers",
        [launch(LOAD, shared("shared_load", 20, 96), shared("shared_store", 20, 32), barriers=64)],
        20,
        "8 barriers a block, with 0.6 memory requests of a warp between two: let each warp go on",
        [launch(LOAD, shared("shared_load", 20, 96), barriers=16)],
    ),
    Known(  # Many barriers with enough between them: a tiled matrix product.
        "barriers",
        [launch(shared("shared_load", 20, 32), barriers=128)],
        20,
        "16 barriers a block",
        [launch(shared("shared_load", 20, 32 * 64), barriers=128)],
    ),
    Known(
        "occupancy",
        [launch(LOAD, static_shared_bytes=40 * 1024, dynamic_shared_bytes=60 * 1024)],
        0,
        "occupancy 12% on 9.0: 2 blocks of 128 threads fit a multiprocessor, and shared memory "
        "limits them; use less of it a block",
        [launch(LOAD, static_shared_bytes=8 * 1024)],
    ),
    Known(
        "occupancy",
        [launch(LOAD, block=[16, 1, 1])],
        0,
        "32 blocks of 16 threads fit a multiprocessor, and blocks limit them; use blocks of more",
        [launch(LOAD, block=[96, 1, 1])],
    ),
    Known(
        "block_shape",
        [launch(LOAD, block=[100, 1, 1])],
        0,
        "the last warp of each block of 100 threads has 4 of 32 lanes: use a multiple of 32",
        [launch(LOAD, block=[32, 3, 1])],
    ),
    Known(
        "grid",
        [launch(coalesced("global_load", 10, 1 << 15))],
        0,
        "8 blocks for 132 multiprocessors (H100), each moving 512 KiB: split the work",
        [launch(coalesced("global_load", 10, 1 << 15), grid=[132, 1, 1])],
    ),
    Known(  # A small tensor needs few blocks.
        "grid",
        [launch(coalesced("global_load", 10, 1 << 14))],
        0,
        "8 blocks for 132 multiprocessors",
        [launch(coalesced("global_load", 10, 1 << 12))],
    ),
]


def found(rule: str, launches: list[dict[str, Any]]) -> list[Finding]:
    said = suggest(counters(*launches), GPUS["9.0"])
    return [suggestion.finding for suggestion in said if suggestion.rule.name == rule]


@pytest.mark.parametrize("known", CASES, ids=lambda known: f"{known.rule}-{known.line}")
def test_a_rule_speaks_of_its_case_and_not_of_the_twin(known: Known) -> None:
    findings = found(known.rule, known.speaks)
    assert [finding.place.line for finding in findings][:1] == [known.line]
    assert known.text in findings[0].text
    assert findings[0].kernel == "k<float>"
    assert found(known.rule, known.silent) == []


def test_every_rule_has_a_case() -> None:
    rules = [rule.name for rule in (*MEMORY_RULES, *LAUNCH_RULES)]
    assert len(rules) == len(set(rules))
    assert {known.rule for known in CASES} == set(rules)
    assert all("Guide, " in rule.source for rule in (*MEMORY_RULES, *LAUNCH_RULES))


def test_turns_on_one_address_are_called_nothing_else() -> None:
    report = launch(
        LOAD,
        site("global_atomic", 15, 32, sectors=1024, ideal_sectors=32, serialized=1024),
        shared("shared_atomic", 16, 32, ways=32, serialized=1024),
    )
    said = suggest(counters(report), GPUS["9.0"])
    rules = {s.rule.name for s in said if s.finding.place.line in (15, 16)}
    assert rules == {"same_address"}


def test_the_largest_waste_comes_first() -> None:
    """Line 10 wastes 28 sectors a request, line 11 one; narrow accesses waste nothing countable."""
    report = launch(
        coalesced("global_store", 11, 32, sectors=160),
        site("global_load", 10, 32, sectors=1024, ideal_sectors=128),
        coalesced("global_load", 12, 96),
    )
    said = suggest(counters(report), GPUS["9.0"])
    names = [suggestion.rule.name for suggestion in said]
    assert names.index("scattered") < names.index("misaligned") < names.index("narrow")


def test_an_unrolled_loop_is_one_suggestion() -> None:
    parts = [site("global_load", 10, 8, sectors=256, ideal_sectors=32) for _ in range(4)]
    assert len(found("scattered", [launch(*parts, STORE)])) == 1


def test_two_inputs_are_named_together() -> None:
    tensors = tuple(TensorBytes(name, role, 4096) for name, role in
                    (("z", "output"), ("a", "input"), ("b", "input")))  # fmt: skip
    report = launch(*(coalesced("global_load", 10, 64) for _ in range(2)), STORE)
    said = suggest(counters(report, tensors=tensors), GPUS["9.0"])
    assert any("2.0 times the bytes of a and b are read:" in s.finding.text for s in said)
