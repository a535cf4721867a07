"""A workspace is zeroed once and then its operator's: sums that hand over parts within one launch,
in calls that follow one another, in graphs, on two streams, after a fault. On the simulator."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from camp import errors, runtime
from camp.native import native

N = 70001  # enough to be cut into parts


@pytest.fixture
def sim(every_operator: Callable[[str], Path]) -> runtime.Runtime:
    return runtime.load("sim", every_operator("sim"))


@pytest.fixture
def stream(sim: runtime.Runtime) -> Iterator[int]:
    made = sim.library.stream_create(0)
    yield made
    sim.library.stream_destroy(made)


def integers(seed: int) -> np.ndarray:
    """Values whose sums are exact in any order."""
    return np.random.default_rng(seed).integers(1, 4, N).astype(np.float32)


def prepared_sum(
    sim: runtime.Runtime, y: np.ndarray, x: np.ndarray, stream: int = 0, workspace: bool = True
) -> native.Prepared:
    operator = sim.operator("reduce_sum").native
    return operator.prepare(0, stream, [y, x], (), workspace)


def test_calls_follow_one_another(sim: runtime.Runtime) -> None:
    y, x = np.empty((), np.float32), integers(0)
    prepared = prepared_sum(sim, y, x)
    assert prepared.workspace_bytes > 0
    for seed in range(3):
        x[:] = integers(seed)
        y[()] = -1
        prepared()
        assert y == x.sum(dtype=np.float64)


def test_a_graph_is_launched_again_and_again(sim: runtime.Runtime, stream: int) -> None:
    y, x = np.empty((), np.float32), integers(0)
    prepared = prepared_sum(sim, y, x, stream)
    sim.library.graph_begin(stream)
    prepared()
    prepared()
    graph = sim.library.graph_end(stream)
    for seed in range(2):
        x[:] = integers(seed)
        y[()] = -1
        sim.library.graph_launch(graph, stream)
        sim.library.stream_synchronize(stream)
        assert y == x.sum(dtype=np.float64)
    sim.library.graph_destroy(graph)


def test_two_operators_on_two_streams(sim: runtime.Runtime) -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        own = sim.library.stream_create(0)
        y, x = np.empty((), np.float32), integers(seed)
        prepared = prepared_sum(sim, y, x, own)
        for _ in range(5):
            y[()] = -1
            prepared()
            sim.library.stream_synchronize(own)
            if y != x.sum(dtype=np.float64):
                wrong.append(seed)
        sim.library.stream_destroy(own)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_memory_that_nobody_zeroed_is_reported_and_then_zeroed(sim: runtime.Runtime) -> None:
    y, x = np.empty((), np.float32), integers(0)
    prepared = prepared_sum(sim, y, x, workspace=False)
    memory = sim.library.empty(0, "u8", (prepared.workspace_bytes,))
    pointer = native.Tensor(memory).pointer
    prepared.bind_workspace(pointer, prepared.workspace_bytes, memory)
    with pytest.raises(errors.KernelFault, match=r"workspace.*before anything wrote it"):
        prepared()
    prepared()  # the call that failed has zeroed it
    assert y == x.sum(dtype=np.float64)
