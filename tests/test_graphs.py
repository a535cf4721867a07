"""Graphs of the C ABI: operators record, and each replay works on what the inputs hold then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camp import errors, runtime
from camp.native import native
from tests.test_ops_api import CASES, close, values

POISON = 99.0


@pytest.fixture
def sim(every_operator: Callable[[str], Path]) -> Any:
    return runtime.load("sim", every_operator("sim"))


@pytest.fixture
def stream(sim: runtime.Runtime) -> Iterator[int]:
    made = sim.library.stream_create(0)
    yield made
    sim.library.stream_destroy(made)


def prepared(sim: runtime.Runtime, op: str, stream: int, arrays: list[np.ndarray]) -> Any:
    """The operator on numpy arrays and a stream that can record."""
    operator = sim.operator(op).native
    made = operator.prepare(0, stream, [native.Tensor(array) for array in arrays])
    if made.workspace_bytes:
        made.allocate_workspace()
    return made


@pytest.mark.parametrize("op", CASES)
def test_a_recorded_operator_runs_at_each_replay(
    sim: runtime.Runtime, stream: int, op: str
) -> None:
    shapes, definition = CASES[op]
    inputs = [values(shape, np.dtype(np.float32)) for shape in shapes]
    out = np.full(definition(*inputs).shape, POISON, np.float32)
    call = prepared(sim, op, stream, [out, *inputs])
    sim.library.graph_begin(stream)
    call()
    graph = sim.library.graph_end(stream)
    assert (out == POISON).all()  # recorded, not run
    for factor in (0.5, -3.0):
        inputs[0] *= factor
        sim.library.graph_launch(graph, stream)
        sim.library.stream_synchronize(stream)
        close(out, definition(*inputs))
        out[...] = POISON
    sim.library.graph_destroy(graph)
    call()  # the stream works again
    close(out, definition(*inputs))


def test_a_graph_that_is_gone_is_refused(sim: runtime.Runtime, stream: int) -> None:
    sim.library.graph_begin(stream)
    graph = sim.library.graph_end(stream)
    sim.library.graph_destroy(graph)
    with pytest.raises(errors.RuntimeStatusError) as caught:
        sim.library.graph_launch(graph, stream)
    assert caught.value.status == "INVALID_OBJECT"


def test_only_a_stream_of_its_own_records(sim: runtime.Runtime, stream: int) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="the default stream cannot record"):
        sim.library.graph_begin(0)
    sim.library.graph_begin(stream)
    with pytest.raises(errors.InvalidArgumentError, match="records a graph already"):
        sim.library.graph_begin(stream)
    sim.library.graph_destroy(sim.library.graph_end(stream))
    with pytest.raises(errors.RuntimeStatusError, match="ending a recording"):
        sim.library.graph_end(stream)


def test_what_is_recorded_between_operators_keeps_its_order(
    sim: runtime.Runtime, stream: int
) -> None:
    x, y = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    call = prepared(sim, "copy", stream, [y, x])
    sim.library.graph_begin(stream)
    sim.library.memset(x.ctypes.data, 0, x.nbytes, stream)
    call()
    graph = sim.library.graph_end(stream)
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    y[...] = POISON
    sim.library.graph_launch(graph, stream)
    assert y.tolist() == [0] * 6
    sim.library.graph_destroy(graph)


def test_a_spoiled_recording_leaves_the_stream_usable(sim: runtime.Runtime, stream: int) -> None:
    x, y = np.arange(3, dtype=np.float32), np.full(3, POISON, np.float32)
    call = prepared(sim, "copy", stream, [y, x])
    sim.library.graph_begin(stream)
    call()
    with pytest.raises(errors.DeviceError, match="waiting for a stream"):
        sim.library.stream_synchronize(stream)
    with pytest.raises(errors.DeviceError, match="ending a recording"):
        sim.library.graph_end(stream)
    assert (y == POISON).all()
    call()
    assert y.tolist() == [0, 1, 2]
    sim.library.stream_synchronize(stream)


def test_a_graph_can_be_part_of_another(sim: runtime.Runtime, stream: int) -> None:
    x, y = np.arange(3, dtype=np.float32), np.full(3, POISON, np.float32)
    call = prepared(sim, "copy", stream, [y, x])
    sim.library.graph_begin(stream)
    call()
    inner = sim.library.graph_end(stream)
    sim.library.graph_begin(stream)
    sim.library.graph_launch(inner, stream)
    outer = sim.library.graph_end(stream)
    assert (y == POISON).all()  # recorded, not run
    sim.library.graph_destroy(inner)
    sim.library.graph_launch(outer, stream)
    assert y.tolist() == [0, 1, 2]
    sim.library.graph_destroy(outer)


@pytest.mark.parametrize("faulty", [True, False], ids=["fault", "right"])
def test_each_replay_is_checked(sim: runtime.Runtime, stream: int, faulty: bool) -> None:
    x, y = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    library = sim.folder / "copy_one_too_far.so" if faulty else None
    operator = sim.operator("copy", library).native
    call = operator.prepare(0, stream, [native.Tensor(y), native.Tensor(x)])
    sim.take_report()
    sim.library.graph_begin(stream)
    call()
    graph = sim.library.graph_end(stream)
    for _ in range(2):
        if faulty:
            with pytest.raises(errors.KernelFault, match="x has 5 elements"):
                sim.library.graph_launch(graph, stream)
        else:
            sim.library.graph_launch(graph, stream)
    assert {fault["kind"] for fault in sim.take_report()["faults"]} == (
        {"out_of_bounds"} if faulty else set()
    )
    sim.library.graph_destroy(graph)
