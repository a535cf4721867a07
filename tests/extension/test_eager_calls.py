"""Operators kept for eager calls: what serves which call, on arrays that only look like torch's."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camp import _native, arrays, errors, runtime
from tests.extension.stand_in import CUDA, Array, Surroundings, empty


def calls_of(operator: _native.Operator, around: Surroundings) -> _native.Calls:
    return operator.calls(Array, around.exchange, lambda: around.capturing, empty)


@pytest.fixture
def around() -> Surroundings:
    return Surroundings()


def prepare(operator: _native.Operator, pair: tuple[Array, Array], *attributes: float) -> Any:
    return operator.prepare(0, 0, [_native.Tensor(array.values) for array in pair], attributes)


def pair(n: int = 3) -> tuple[Array, Array]:
    return Array(np.zeros(n, np.float32)), Array(np.arange(n, dtype=np.float32))


def test_a_kept_operator_serves_other_memory(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    assert not calls.run(pair(), {})
    calls.keep(first := pair(), {}, prepare(scale, first))
    assert len(calls) == 1
    second = pair()
    assert calls.run(second, {})
    assert second[0].values.tolist() == [0, 2, 4]
    assert first[0].values.tolist() == [0, 0, 0]


def test_attributes_are_told_apart(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    for factor in (2.0, -1.0):
        calls.keep(both := pair(), {"factor": factor}, prepare(scale, both, factor))
    assert len(calls) == 2
    for factor in (-1.0, 2.0, 2):
        both = pair()
        assert calls.run(both, {"factor": factor})
        assert both[0].values.tolist() == [0, factor, 2 * factor]
    assert calls.run(pair(), {})  # 2.0 is the default
    for attributes in ({"factor": 3.0}, {"factor": True}, {"factor": "2"}, {"other": 2.0}):
        assert not calls.run(pair(), attributes), attributes


def changed(**attributes: Any) -> Array:
    """An array like that of `pair` but for some attributes."""
    array = pair()[1]
    for name, value in attributes.items():
        setattr(array, name, value)
    return array


class Derived(Array):
    """What it shows need not be what is in memory."""


@pytest.mark.parametrize(
    "x",
    [
        changed(requires_grad=True),
        changed(requires_grad=None),
        changed(is_neg=lambda: True),
        changed(is_neg=lambda: 1 / 0),
        changed(broken=True),
        changed(device=(7, 0)),
        changed(device=(CUDA, 0)),
        Array(np.arange(4, dtype=np.float32)),
        Array(np.zeros((1, 3), np.float32)),
        Array(np.zeros((1,) * 9, np.float32)),
        Array(np.arange(3, dtype=np.int32)),
        Array(np.arange(3, dtype=np.float64)),
        Derived([0, 1, 2]),
        np.arange(3, dtype=np.float32),
        None,
    ],
)
def test_anything_unusual_goes_the_careful_way(
    scale: _native.Operator, around: Surroundings, x: Any
) -> None:
    calls = calls_of(scale, around)
    calls.keep(both := pair(), {}, prepare(scale, both))
    y, right = pair()
    assert not calls.run((y, x), {})
    assert y.values.tolist() == [0, 0, 0]
    assert calls.run((y, right), {})
    assert not calls.run((y,), {})
    assert not calls.run((y, right, right), {})


def on_gpu(n: int = 3) -> tuple[Array, Array]:
    both = pair(n)
    for array in both:
        array.device = (CUDA, 0)
    return both


def test_devices_and_streams_are_told_apart(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    both = on_gpu()
    calls.keep(both, {}, prepare(scale, both))
    assert not calls.run(pair(), {})
    assert calls.run(both, {})
    around.stream = 8
    assert not calls.run(both, {})
    around.stream = 0
    both[1].device = (CUDA, 1)
    assert not calls.run(both, {})


def test_a_new_array(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    x = on_gpu()[1]
    assert calls.run_new(None, (x,), {}) is None
    both = on_gpu()
    calls.keep(both, {}, prepare(scale, both))
    for shape in (None, (3,)):
        made = calls.run_new(shape, (x,), {})
        assert made.values.tolist() == [0, 2, 4]
    assert calls.run_new((1, 3), (x,), {}) is None  # another operator's shape
    assert calls.run_new((1,) * 9, (x,), {}) is None
    assert calls.run_new(("3",), (x,), {}) is None
    assert calls.run_new(None, (pair()[1],), {}) is None  # in host memory
    assert calls.run_new(None, (np.zeros(3, np.float32),), {}) is None
    assert calls.run_new(None, (), {}) is None
    without = scale.calls(Array, around.exchange)
    without.keep(both, {}, prepare(scale, both))
    assert without.run_new(None, (x,), {}) is None


def test_a_library_without_the_table_has_none(scale: _native.Operator) -> None:
    assert scale.calls(Array, None) is None
    assert scale.calls(Array, object()) is None
    assert scale.calls(Array, Surroundings(major=2).exchange) is None
    assert scale.calls(Array, Surroundings(major=1).exchange) is not None


def test_a_graph_gets_a_workspace_of_its_own(scale: _native.Operator, around: Surroundings) -> None:
    for workspace_bytes, shared in ((0, True), (64, False)):
        calls = calls_of(scale, around)
        attributes = {"workspace_bytes": workspace_bytes}
        given = (2.0, 0, 0, workspace_bytes)
        around.capturing = True
        calls.keep(both := pair(), attributes, prepare(scale, both, *given))
        assert len(calls) == shared
        around.capturing = False
        calls.keep(both := pair(), attributes, prepare(scale, both, *given))
        assert calls.run(pair(), attributes)
        around.capturing = True
        assert calls.run(pair(), attributes) is shared
        around.capturing = False


def test_arrays_are_not_kept(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    both = pair()
    calls.keep(both, {}, prepare(scale, both))
    gone = [weakref.ref(array.values) for array in both]
    del both
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
    assert calls.run(pair(), {})


def test_only_so_many_are_kept(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    sizes = []
    for n in range(300):
        calls.keep(both := pair(n), {}, prepare(scale, both))
        sizes.append(len(calls))
    assert max(sizes) == 256
    assert calls.run(pair(299), {})
    assert not calls.run(pair(0), {})


def test_failures_are_raised(scale: _native.Operator, around: Surroundings) -> None:
    calls = calls_of(scale, around)
    attributes = {"execute_status": 11}
    calls.keep(both := pair(), attributes, prepare(scale, both, 2.0, 0, 11))
    with pytest.raises(errors.KernelFault, match="execute was told to fail"):
        calls.run(pair(), attributes)


def test_one_kept_operator_runs_on_two_threads(
    scale: _native.Operator, around: Surroundings
) -> None:
    calls = calls_of(scale, around)
    attributes = {"meet": 1}
    calls.keep(both := pair(), attributes, prepare(scale, both, 2.0, 0, 0, 0, 1))
    pairs = [pair() for _ in range(2)]
    other = threading.Thread(target=calls.run, args=(pairs[0], attributes))
    other.start()
    assert calls.run(pairs[1], attributes)  # raises unless the other is inside at the same time
    other.join()
    assert [y.values.tolist() for y, _ in pairs] == [[0, 2, 4]] * 2


# ---- through camp.runtime ----


class Library:
    """The family of Array."""

    name = "stand-in"

    def __init__(self, around: Surroundings) -> None:
        self.around = around

    def backend(self, array: Array) -> str:
        return "sim"

    def device(self, array: Array) -> int:
        return 0

    def stream(self, array: Array) -> int:
        return self.around.stream

    def tensor(self, array: Array, stream: int) -> _native.Tensor:
        return _native.Tensor(array.values)

    def result(self, array: Array, like: Array, library: _native.Library) -> Array:
        return array

    def workspace(self, array: Array, size_bytes: int) -> None:
        return None

    def calls(self, operator: _native.Operator) -> _native.Calls:
        return calls_of(operator, self.around)


def test_eager_calls_prepare_once(
    folder: Path, around: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMP_BUILD_DIR", str(folder))
    monkeypatch.delenv("CAMP_BACKEND", raising=False)
    monkeypatch.setitem(arrays._families, Array, Library(around))
    runtime.reset()
    prepared = []
    careful = runtime.Operator._prepare
    monkeypatch.setattr(
        runtime.Operator,
        "_prepare",
        lambda self, given, attributes: prepared.append(given) or careful(self, given, attributes),
    )
    for _ in range(3):
        y, x = pair()
        assert runtime.apply_("scale", y, x, factor=3.0) is y
        assert y.values.tolist() == [0, 3, 6]
    assert len(prepared) == 1
    with pytest.raises(errors.ShapeError):
        runtime.apply_("scale", pair()[0], pair(4)[1], factor=3.0)
    with pytest.raises(errors.InvalidArgumentError, match="no attribute nonsense"):
        runtime.apply_("scale", *pair(), nonsense=3.0)
    runtime.reset()


def test_a_rebuilt_library_is_seen_by_eager_calls(
    fake_build, tmp_path: Path, around: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fake_build(folder=tmp_path)
    monkeypatch.setenv("CAMP_BUILD_DIR", str(folder))
    monkeypatch.delenv("CAMP_BACKEND", raising=False)
    monkeypatch.setitem(arrays._families, Array, Library(around))
    runtime.reset()
    y, x = pair()
    for _ in range(2):
        runtime.apply_("scale", y, x)
        assert y.values.tolist() == [0, 2, 4]
    (folder / "libcamp_op_scale.so").rename(tmp_path / "before.so")
    fake_build(operator={"FAKE_FACTOR": "10.0"}, folder=folder)
    time.sleep(runtime._TRUST_SECONDS)
    for _ in range(2):
        runtime.apply_("scale", y, x)
        assert y.values.tolist() == [0, 10, 20]
    runtime.reset()
