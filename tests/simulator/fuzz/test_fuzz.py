"""test_fuzz: a fixed set of random kernels: simulator and interpreter agree on every word, every
fault and every silence. `python -m tests.simulator.fuzz` goes on from there."""

from __future__ import annotations

import copy
import dataclasses
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.simulator.fuzz.compare import clean
from tests.simulator.fuzz.generate import generate
from tests.simulator.fuzz.interpret import Machine, interpret
from tests.simulator.fuzz.language import (
    I32,
    U64,
    Array,
    Barrier,
    Bin,
    Collective,
    Kernel,
    Load,
    Local,
    Shape,
    Special,
    Statement,
    Store,
    const,
    convert,
)
from tests.simulator.fuzz.run import Batch, check_batch, compile_batch

CORRECT = range(30)
FAULTY = range(30)


@pytest.fixture(scope="module")
def batches(
    sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[Batch, list[Machine]]]:
    """The kernels of both kinds, compiled and interpreted."""
    folder = tmp_path_factory.mktemp("fuzz")
    kernels = {
        "correct": [generate(seed, hazards=False) for seed in CORRECT],
        "faulty": [generate(seed, hazards=True) for seed in FAULTY],
    }
    with ThreadPoolExecutor() as pool:
        compiled = {
            name: pool.submit(compile_batch, group, sim_runtime, folder / name, name)
            for name, group in kernels.items()
        }
        machines = {name: [interpret(k) for k in group] for name, group in kernels.items()}
        return {name: (compiled[name].result(), machines[name]) for name in kernels}


@pytest.mark.parametrize("name", ["correct", "faulty"])
def test_simulator_and_interpreter_agree(
    batches: dict[str, tuple[Batch, list[Machine]]], name: str
) -> None:
    batch, machines = batches[name]
    wrong = check_batch(batch, machines)
    assert wrong == [], [(batch.kernels[n].name, schedule, words) for n, schedule, words in wrong]


def test_the_fixed_set_has_what_it_is_for(
    batches: dict[str, tuple[Batch, list[Machine]]],
) -> None:
    _, correct = batches["correct"]
    _, faulty = batches["faulty"]
    assert sum(map(clean, correct)) >= 25
    assert sum(map(clean, faulty)) >= 5
    assert sum(bool(m.findings.races) for m in faulty) >= 5
    kinds = {kind for m in faulty for kind, _ in m.findings.faults}
    assert kinds >= {"out_of_bounds", "warp_mask", "deadlock"}


# ---- the fuzz can fail: the simulator runs another kernel than the interpreter ----

OUT = Array("out", "global", U64, 64, 1)
TID = Special("tid")
FOUND = Local("found", I32)
WARP_ONLY = Collective("syncwarp", const(0xFFFFFFFF))


def exchange(between: Statement, size: int = 64, factor: int = 3) -> Kernel:
    """Threads pass a value on through shared memory."""
    slot = Array("slot", "shared", I32, size)
    body: list[Statement] = [
        Store(slot, TID, convert(I32, Bin("*", TID, const(factor)))),
        between,
        Load(FOUND, slot, Bin("-", const(63), TID)),
        Store(OUT, TID, convert(U64, FOUND)),
    ]
    return Kernel("exchange", Shape((1, 1, 1), (64, 1, 1)), [slot, OUT], [FOUND], body)


RIGHT = exchange(Barrier())
# name: what is interpreted, what runs, and what must be found wrong.
CONTROLS = {
    "agrees": (RIGHT, RIGHT, ""),
    "invents_a_race": (RIGHT, exchange(WARP_ONLY), "false report: race"),
    "misses_a_race": (exchange(WARP_ONLY), RIGHT, "missed: race"),
    "computes_another_value": (RIGHT, exchange(Barrier(), factor=4), "value: out["),
    "invents_an_index": (RIGHT, exchange(Barrier(), size=63), "false report: out_of_bounds"),
    "misses_an_index": (exchange(Barrier(), size=63), RIGHT, "missed: one of [('out_of_bounds'"),
}


def test_a_wrong_simulator_is_noticed(sim_runtime: Path, tmp_path: Path) -> None:
    names = list(CONTROLS)
    kernels = [dataclasses.replace(CONTROLS[name][1], name=f"{name}_kernel") for name in names]
    batch = compile_batch(kernels, sim_runtime, tmp_path, "controls")
    # The interpreted kernel takes the lines of the one that runs, statement by statement.
    machines = []
    for name, kernel in zip(names, kernels, strict=True):
        described = dataclasses.replace(CONTROLS[name][0], name=kernel.name)
        lines = [batch.line_of[s] for s in kernel.body]
        described.body = [copy.copy(s) for s in described.body]
        batch.line_of.update(zip(described.body, lines, strict=True))
        machines.append(interpret(described))
    found: dict[str, list[str]] = {name: [] for name in names}
    for number, _, words in check_batch(batch, machines):
        found[names[number]].append(words)
    for name, (_, _, expected) in CONTROLS.items():
        if expected:
            assert any(expected in words for words in found[name]), (name, found[name])
        else:
            assert found[name] == []
