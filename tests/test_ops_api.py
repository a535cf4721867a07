"""camp.<op>, camp.<op>_ and camp.prepare_<op> of every operator, on the simulator, by numpy."""

from __future__ import annotations

import concurrent.futures
import gc
import inspect
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import camp
from camp import errors, ops, runtime
from camp.spec import list_specs

BF16 = np.dtype(ml_dtypes.bfloat16)
FLOATS = [np.dtype(np.float32), np.dtype(np.float16), BF16]
# Half a unit in the last place of each dtype at 1, twice: sums are rounded once, from float32.
TOLERANCE = {"float32": 2e-6, "float16": 1e-3, "bfloat16": 8e-3}


@pytest.fixture
def built(every_operator: Callable[[str], Path]) -> Path:
    return every_operator("sim")


@pytest.fixture
def sim(built: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CAMP_BUILD_DIR", str(built))
    monkeypatch.setenv("CAMP_BACKEND", "sim")
    runtime.reset()
    yield runtime.load("sim")
    runtime.reset()


def values(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return np.random.default_rng(7).normal(size=shape).astype(dtype)


def close(got: np.ndarray, expected: np.ndarray) -> None:
    assert got.shape == expected.shape
    tolerance = TOLERANCE[got.dtype.name]
    np.testing.assert_allclose(
        got.astype(np.float64), expected.astype(np.float64), rtol=tolerance, atol=tolerance
    )


def softmax(x: np.ndarray) -> np.ndarray:
    wide = x.astype(np.float64)
    e = np.exp(wide - wide.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


# One case an operator: its inputs' shapes and the definition, in float64.
CASES = {
    "copy": ([(3, 5)], lambda x: x.astype(np.float64)),
    "vector_add": ([(37,), (37,)], lambda a, b: a.astype(np.float64) + b.astype(np.float64)),
    "reduce_sum": ([(4, 33)], lambda x: x.astype(np.float64).sum(axis=-1)),
    "softmax": ([(3, 65)], softmax),
    "relu": ([(2, 9)], lambda x: np.maximum(x.astype(np.float64), 0)),
}


def test_every_operator_is_here(root: Path) -> None:
    known = {spec.id for spec in list_specs(root)}
    assert known == set(ops.modules()) == set(CASES)
    assert set(dir(camp)) >= {form for op in known for form in (op, f"{op}_", f"prepare_{op}")}


@pytest.mark.parametrize("dtype", FLOATS, ids=lambda dtype: dtype.name)
@pytest.mark.parametrize("op", CASES)
def test_three_forms(sim: runtime.Runtime, op: str, dtype: np.dtype) -> None:
    shapes, definition = CASES[op]
    inputs = [values(shape, dtype) for shape in shapes]
    expected = definition(*inputs)

    new = getattr(camp, op)(*inputs)
    assert new.dtype == dtype
    close(new, expected)

    out = np.full(expected.shape, 99, dtype)
    assert getattr(camp, f"{op}_")(out, *inputs) is out
    close(out, expected)

    out[...] = 99
    prepared = getattr(camp, f"prepare_{op}")(out, *inputs)
    assert (out == 99).all()  # prepared, not run
    inputs[0][...] = values(shapes[0], dtype) / 2
    prepared()
    close(out, definition(*inputs))


@pytest.mark.parametrize("op", CASES)
def test_documented_forms(op: str) -> None:
    spec = {spec.id: spec for spec in list_specs(Path(camp.__file__).parent.parent)}[op]
    inputs = [tensor.name for tensor in spec.inputs]
    for name, first in [(op, []), (f"{op}_", ["out"]), (f"prepare_{op}", ["out"])]:
        function = getattr(camp, name)
        parameters = list(inspect.signature(function).parameters)
        assert parameters[: len(first) + len(inputs)] == first + inputs
        assert function.__doc__
        for attribute in spec.attributes:
            default = inspect.signature(function).parameters[attribute.name].default
            assert default == attribute.default


@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i4", "i8", "u1"])
def test_copy_takes_every_dtype(sim: runtime.Runtime, dtype: str) -> None:
    x = np.frombuffer(np.random.default_rng(3).bytes(19 * 8), np.uint8).view(dtype)
    assert camp.copy(x).tobytes() == x.tobytes()  # bytes: NaN payloads too


def test_reduce_sum_of_everything(sim: runtime.Runtime) -> None:
    x = np.ones((3, 4, 5), np.float32)
    total = camp.reduce_sum(x, axis=None)
    assert (total.shape, float(total)) == ((), 60)
    close(camp.reduce_sum(x, axis=2), np.full((3, 4), 5.0))
    assert camp.reduce_sum(np.ones(7, np.float32)) == 7
    out = np.zeros((3, 4), np.float32)
    with pytest.raises(errors.ShapeError, match=r"y has shape \(3, 4\).*axis=None has \(\)"):
        camp.reduce_sum_(out, x, axis=None)
    with pytest.raises(errors.InvalidArgumentError, match="not axis=0"):
        camp.reduce_sum(x, axis=0)
    with pytest.raises(errors.ShapeError, match="rank 0"):
        camp.reduce_sum(np.ones((), np.float32))


def test_reduce_sum_with_a_workspace(sim: runtime.Runtime) -> None:
    x = np.ones((2, 1 << 16), np.float32)
    out = np.zeros(2, np.float32)
    prepared = camp.prepare_reduce_sum(out, x)
    assert prepared.workspace_bytes > 0  # few long rows are what it is for
    gc.collect()
    prepared()
    assert (out == 1 << 16).all()


def test_relu_slope_strides_and_broadcast(sim: runtime.Runtime) -> None:
    x = np.array([[-4, 2], [6, -8]], np.float32)
    close(camp.relu(x.T, negative_slope=0.25), np.array([[-1, 6], [2, -2]], np.float32))
    out = np.zeros((2, 4), np.float32)
    camp.relu_(out[:, ::2], x)
    np.testing.assert_array_equal(out, [[0, 0, 2, 0], [6, 0, 0, 0]])
    camp.relu_(out, np.array([[3], [-3]], np.float32))
    np.testing.assert_array_equal(out, [[3] * 4, [0] * 4])


@pytest.mark.parametrize("op", CASES)
def test_nothing_to_do(sim: runtime.Runtime, op: str) -> None:
    shapes, _ = CASES[op]
    empty = [np.zeros((0, *shape[1:]), np.float32) for shape in shapes]
    assert getattr(camp, op)(*empty).size == 0


@pytest.mark.parametrize("op", CASES)
def test_wrong_use_is_a_sentence(sim: runtime.Runtime, op: str) -> None:
    shapes, definition = CASES[op]
    inputs = [values(shape, np.dtype(np.float32)) for shape in shapes]
    out = np.zeros(definition(*inputs).shape, np.float32)
    in_place = getattr(camp, f"{op}_")
    with pytest.raises(ValueError, match=r"shape|size|broadcast"):
        in_place(np.zeros((2, 2, 2, 7), np.float32), *inputs)
    with pytest.raises(TypeError, match=op):
        in_place(out.astype(np.float64), *inputs)
    with pytest.raises(TypeError, match="not an array"):
        in_place(out, *(array.tolist() for array in inputs))
    out.flags.writeable = False
    with pytest.raises(ValueError, match=f"{op}: . is read-only"):
        in_place(out, *inputs)
    if out.shape == inputs[0].shape:
        with pytest.raises(ValueError, match="share memory"):
            in_place(inputs[0], *inputs)


def test_names_that_are_no_operator() -> None:
    for name in ("conv", "prepare_conv", "copy__", "prepare_", "_", "prepare_copy_"):
        with pytest.raises(AttributeError):
            getattr(camp, name)


@pytest.fixture
def faulty(sim: runtime.Runtime, built: Path) -> runtime.Prepared:
    """A copy of 5 elements that reads and writes a sixth."""
    copy = sim.operator("copy", built / "copy_one_too_far.so")
    yield copy.prepare(np.zeros(5, np.float32), np.ones(5, np.float32))
    sim.take_report()


def test_a_fault_names_what_went_wrong(sim: runtime.Runtime, faulty: runtime.Prepared) -> None:
    with pytest.raises(errors.KernelFault, match=r"x\[5\]") as caught:
        faulty()
    report = sim.take_report()
    assert str(caught.value) == f"copy: {report['faults'][0]['message']}"


def test_a_fault_does_not_stick(faulty: runtime.Prepared) -> None:
    with pytest.raises(errors.KernelFault):
        faulty()
    x = np.arange(3, dtype=np.float32)
    np.testing.assert_array_equal(camp.copy(x), x)


def test_importing_camp_imports_little(root: Path) -> None:
    script = (
        "import sys, camp; assert not {'numpy', 'rich', 'typer'} & set(sys.modules); "
        "assert 'relu' in dir(camp); print(camp.__version__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ}
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == camp.__version__


def test_threads_run_operators_side_by_side(sim: runtime.Runtime) -> None:
    """Each thread has arrays of its own; what one runs must not look like a fault of another's."""
    x = values((64, 33), np.dtype(np.float32))
    out = [np.empty_like(x) for _ in range(4)]
    calls = [camp.prepare_softmax(one, x) for one in out]
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as threads:
        for _ in range(20):
            list(threads.map(lambda call: call(), calls))
    for one in out:
        close(one, softmax(x))
