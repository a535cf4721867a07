"""camp._native against a fake runtime: loading, errors, arrays, lifetimes, the stub."""

from __future__ import annotations

import ast
import ctypes
import inspect
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from camp import _native, errors
from tests.measure_call_overhead import prepared_overhead_ns

STATUS = {
    "INVALID_ARGUMENT": (1, errors.InvalidArgumentError, ValueError),
    "INVALID_OBJECT": (2, errors.InvalidObjectError, ValueError),
    "UNSUPPORTED_DTYPE": (3, errors.DTypeError, TypeError),
    "SHAPE_MISMATCH": (4, errors.ShapeError, ValueError),
    "UNSUPPORTED_LAYOUT": (5, errors.InvalidArgumentError, ValueError),
    "OVERFLOW": (6, errors.InvalidArgumentError, ValueError),
    "WORKSPACE_TOO_SMALL": (7, errors.WorkspaceTooSmallError, ValueError),
    "OUT_OF_MEMORY": (8, errors.OutOfDeviceMemoryError, MemoryError),
    "NO_DEVICE": (9, errors.NoDeviceError, errors.RuntimeStatusError),
    "LAUNCH_FAILED": (10, errors.LaunchError, errors.RuntimeStatusError),
    "KERNEL_FAULT": (11, errors.KernelFault, errors.RuntimeStatusError),
    "DEVICE_ERROR": (12, errors.DeviceError, errors.RuntimeStatusError),
    "INTERNAL": (13, errors.RuntimeStatusError, errors.RuntimeStatusError),
}


def pair(n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(n, np.float32), np.arange(n, dtype=np.float32)


# ---- loading ----


def test_abi_of_the_runtime(fake_build) -> None:
    folder = fake_build({"FAKE_ABI_VERSION": "7u"})
    with pytest.raises(errors.LibraryLoadError, match=r"ABI version 7, .* version 1") as caught:
        _native.Library(str(folder / "libcamp_runtime.so"))
    assert caught.value.exit_code == errors.EXIT_ENVIRONMENT
    assert "camp build" in caught.value.hint


def test_abi_of_an_operator(fake_build) -> None:
    folder = fake_build({}, {"FAKE_OPERATOR_ABI_VERSION": "8u"})
    library = _native.Library(str(folder / "libcamp_runtime.so"))
    with pytest.raises(errors.LibraryLoadError, match="ABI version 8"):
        _native.Operator(library, str(folder / "libcamp_op_scale.so"), "scale")


def test_runtime_without_a_function(fake_build) -> None:
    folder = fake_build({"FAKE_LACKS_DESTROY": "1"})
    with pytest.raises(errors.LibraryLoadError, match="does not define camp_operator_destroy"):
        _native.Library(str(folder / "libcamp_runtime.so"))


def test_library_without_the_operator(folder: Path, library: _native.Library) -> None:
    with pytest.raises(errors.LibraryLoadError, match="does not define camp_other_vtable"):
        _native.Operator(library, str(folder / "libcamp_op_scale.so"), "other")


def test_operator_of_another_runtime(fake_build, library: _native.Library) -> None:
    other = fake_build()
    with pytest.raises(errors.LibraryLoadError, match="uses another runtime than"):
        _native.Operator(library, str(other / "libcamp_op_scale.so"), "scale")


@pytest.mark.parametrize("content", [b"", b"not a library", None])
def test_no_library(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "libcamp_runtime.so"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(errors.LibraryLoadError, match=str(path)):
        _native.Library(str(path))


# ---- errors ----


@pytest.mark.parametrize("name", STATUS)
@pytest.mark.parametrize("when", ["create", "execute"])
def test_every_status_is_an_exception(scale: _native.Operator, name: str, when: str) -> None:
    status, kind, base = STATUS[name]
    codes = (status, 0) if when == "create" else (0, status)
    with pytest.raises(kind, match=f"{when} was told to fail") as caught:
        scale.prepare(0, 0, list(pair()), [2.0, *codes])()
    assert type(caught.value) is kind
    assert isinstance(caught.value, base)
    assert caught.value.status == name


def test_a_status_of_the_future_is_an_internal_error(scale: _native.Operator) -> None:
    with pytest.raises(errors.RuntimeStatusError) as caught:
        scale.prepare(0, 0, list(pair()), [2.0, 99])
    assert caught.value.status == "INTERNAL"


def test_no_object_is_leaked_by_a_failing_create(scale: _native.Operator, allocations) -> None:
    before = allocations()
    for status, _, _ in STATUS.values():
        with pytest.raises(errors.RuntimeStatusError):
            scale.prepare(0, 0, list(pair()), [2.0, status])
    with pytest.raises(errors.NoDeviceError):
        scale.prepare(1, 0, list(pair()))
    assert allocations() == before


# ---- operators ----


def test_what_an_operator_says_of_itself(scale: _native.Operator) -> None:
    assert scale.name == "scale"
    assert scale.tensors == [("y", "output"), ("x", "input")]
    assert scale.attributes[:2] == [("factor", "f64", 2.0), ("create_status", "i64", 0)]


def test_execute_uses_defaults_and_attributes(scale: _native.Operator) -> None:
    y, x = pair()
    scale.prepare(0, 0, [y, x])()
    np.testing.assert_array_equal(y, [0, 2, 4, 6, 8])
    scale.prepare(0, 0, [y, x], [-0.5])()
    np.testing.assert_array_equal(y, [0, -0.5, -1, -1.5, -2])


def test_a_prepared_call_sees_new_values(scale: _native.Operator) -> None:
    y, x = pair(3)
    prepared = scale.prepare(0, 0, [y, x])
    x[:] = 7
    prepared()
    np.testing.assert_array_equal(y, [14, 14, 14])


def test_wrong_numbers_of_arrays_and_attributes(scale: _native.Operator) -> None:
    y, x = pair()
    with pytest.raises(errors.InvalidArgumentError, match="scale takes 2 arrays, not 1"):
        scale.prepare(0, 0, [y])
    with pytest.raises(errors.InvalidArgumentError, match="scale takes 5 attributes"):
        scale.prepare(0, 0, [y, x], [1.0, 0, 0, 0, 0, 0])


def test_tensors_given_as_addresses(scale: _native.Operator) -> None:
    y, x = pair()
    tensors = [(y.ctypes.data, "f32", (5,)), (x.ctypes.data, "f32", [5], [1])]
    scale.prepare(0, 0, tensors)()
    np.testing.assert_array_equal(y, 2 * x)


@pytest.mark.parametrize("tensor", [(1, "f32"), (1, "f32", (1,), (1,), None)])
def test_a_malformed_tuple(scale: _native.Operator, tensor: tuple) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="pointer, dtype, shape"):
        scale.prepare(0, 0, [tensor, tensor])


def test_execute_lets_other_threads_run(scale: _native.Operator) -> None:
    prepared = [scale.prepare(0, 0, list(pair()), [2.0, 0, 0, 0, 1]) for _ in range(2)]
    other = threading.Thread(target=prepared[0])
    other.start()
    prepared[1]()  # raises unless the other thread is inside at the same time
    other.join()


def test_direct_ns_runs_the_operator(scale: _native.Operator) -> None:
    y, x = pair()
    prepared = scale.prepare(0, 0, [y, x])
    assert 0 < prepared.direct_ns(100) < 1e6
    np.testing.assert_array_equal(y, 2 * x)
    with pytest.raises(errors.InvalidArgumentError):
        prepared.direct_ns(0)


def test_a_prepared_call_adds_little(scale: _native.Operator) -> None:
    added, python, direct = prepared_overhead_ns(scale.prepare(0, 0, list(pair(0))))
    assert direct < python
    assert added <= 300  # the project's bar; about 80 where it was written


# ---- workspace ----


def test_workspace_is_allocated_and_freed(scale: _native.Operator, allocations) -> None:
    before = allocations()
    prepared = scale.prepare(0, 0, list(pair()), [2.0, 0, 0, 1000])
    assert prepared.workspace_bytes == 1000
    assert allocations() == before + 2  # the operator and its workspace
    prepared()
    prepared.allocate_workspace()  # replaces the first
    assert allocations() == before + 2
    del prepared
    assert allocations() == before


def test_workspace_is_zeroed_once(scale: _native.Operator) -> None:
    found = ctypes.CDLL(scale.path).scale_found
    for _ in range(2):
        prepared = scale.prepare(0, 0, list(pair()), [2.0, 0, 0, 100])
        prepared()
        assert found() == 0
        prepared()
        assert found() == 0x5A  # what the operator left there
        prepared.allocate_workspace()
        prepared()
        assert found() == 0


def test_workspace_of_the_caller(scale: _native.Operator) -> None:
    prepared = scale.prepare(0, 0, list(pair()), [2.0, 0, 0, 100], workspace=False)
    with pytest.raises(errors.WorkspaceTooSmallError):
        prepared()
    memory = np.zeros(128, np.uint8)
    prepared.bind_workspace(memory.ctypes.data, 99, memory)
    with pytest.raises(errors.WorkspaceTooSmallError):
        prepared()
    prepared.bind_workspace(memory.ctypes.data, 100, memory)
    prepared()
    assert (memory[:100] == 0x5A).all()
    assert (memory[100:] == 0).all()


def test_workspace_that_does_not_fit(scale: _native.Operator, allocations) -> None:
    before = allocations()
    with pytest.raises(errors.OutOfDeviceMemoryError):
        scale.prepare(0, 0, list(pair()), [2.0, 0, 0, 2 << 40])
    assert allocations() == before


# ---- the stub ----


def normal_form(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node.value = inspect.cleandoc(node.value)
    return ast.unparse(tree)


def test_the_committed_stub_is_the_generated_one(root: Path, tmp_path: Path) -> None:
    pytest.importorskip("nanobind")
    generated = tmp_path / "_native.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "camp._native", "-o", generated],
        check=True,
    )
    committed = (root / "camp" / "_native.pyi").read_text()
    assert "class Prepared" in committed
    assert normal_form(committed) == normal_form(generated.read_text())
