"""camp._native against a fake runtime: loading, errors, arrays, lifetimes, the stub."""

from __future__ import annotations

import ast
import ctypes
import gc
import importlib.util
import inspect
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

from camp import _native, errors

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


@pytest.fixture(scope="module")
def folder(fake_build) -> Path:
    return fake_build()


@pytest.fixture(scope="module")
def library(folder: Path) -> _native.Library:
    return _native.Library(str(folder / "libcamp_runtime.so"))


@pytest.fixture(scope="module")
def scale(folder: Path, library: _native.Library) -> _native.Operator:
    return _native.Operator(library, str(folder / "libcamp_op_scale.so"), "scale")


@pytest.fixture
def allocations(folder: Path):
    """Counts what the runtime handed out and did not get back."""
    return ctypes.CDLL(str(folder / "libcamp_runtime.so")).fake_allocations


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


def test_a_prepared_call_adds_little(scale: _native.Operator, root: Path) -> None:
    path = root / "tests" / "measure_call_overhead.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    measure = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(measure)
    added, python, direct = measure.prepared_overhead_ns(scale.prepare(0, 0, list(pair(0))))
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


# ---- arrays ----


class Watched(np.ndarray):
    """numpy.ndarray takes no weak references."""


def test_prepared_keeps_its_arrays_alive(scale: _native.Operator) -> None:
    arrays = [array.view(Watched) for array in pair()]
    watchers = [weakref.ref(array) for array in arrays]
    prepared = scale.prepare(0, 0, arrays)
    del arrays
    gc.collect()
    assert all(watcher() is not None for watcher in watchers)
    prepared()
    del prepared
    gc.collect()
    assert all(watcher() is None for watcher in watchers)


def test_owner_of_an_address_is_kept_alive() -> None:
    array = np.zeros(4, np.float32).view(Watched)
    watcher = weakref.ref(array)
    tensor = _native.Tensor.from_pointer(array.ctypes.data, "f32", (4,), owner=array)
    del array
    gc.collect()
    assert watcher() is not None
    del tensor
    gc.collect()
    assert watcher() is None


@pytest.mark.parametrize("dtype", ["f32", "f16", "f64", "i32", "i64", "u8"])
def test_numpy_dtypes(library: _native.Library, dtype: str) -> None:
    kind = {"f": "float", "i": "int", "u": "uint"}[dtype[0]]
    array = np.zeros((2, 3), f"{kind}{dtype[1:]}")
    tensor = _native.Tensor(array)
    assert tensor.dtype == dtype
    assert library.dtype_bytes(dtype) == array.itemsize
    assert tensor.pointer == array.ctypes.data


def test_bfloat16_comes_as_uint16() -> None:
    assert _native.Tensor(np.zeros(2, np.uint16), "bf16").dtype == "bf16"
    with pytest.raises(errors.DTypeError, match="elements of 32 bits are no bf16"):
        _native.Tensor(np.zeros(2, np.float32), "bf16")
    with pytest.raises(errors.DTypeError, match="'f8' is no dtype"):
        _native.Tensor(np.zeros(2, np.uint8), "f8")


@pytest.mark.parametrize(
    ("array", "strides"),
    [
        (np.zeros((3, 4), np.float32), (4, 1)),
        (np.zeros((3, 4), np.float32).T, (1, 4)),
        (np.zeros((3, 8), np.float32)[:, ::2], (8, 2)),
        (np.broadcast_to(np.zeros(4, np.float32), (3, 4)), (0, 1)),
        (np.zeros((), np.float32), ()),
    ],
)
def test_strides_count_elements(array: np.ndarray, strides: tuple[int, ...]) -> None:
    tensor = _native.Tensor(array)
    assert tensor.shape == array.shape
    assert tensor.strides == strides


def test_contiguous_strides_of_an_address() -> None:
    assert _native.Tensor.from_pointer(0, "f32", (2, 3, 4)).strides == (12, 4, 1)
    with pytest.raises(errors.ShapeError, match="differ in length"):
        _native.Tensor.from_pointer(0, "f32", (2, 3), (1,))


@pytest.mark.parametrize(
    "thing", [[1.0], "text", 3, None, np.zeros(3, np.complex64), np.zeros(2, "?")]
)
def test_no_array_of_ours(thing: object) -> None:
    with pytest.raises(TypeError):
        _native.Tensor(thing)


def test_more_axes_than_the_runtime_has() -> None:
    with pytest.raises(errors.ShapeError, match="rank 9: at most 8 axes"):
        _native.Tensor(np.zeros((1,) * 9, np.float32))


def test_read_only_arrays_are_inputs(scale: _native.Operator) -> None:
    y, x = pair()
    x.flags.writeable = False
    scale.prepare(0, 0, [y, x])()
    np.testing.assert_array_equal(y, 2 * x)
    with pytest.raises(errors.InvalidArgumentError, match="scale: y is read-only"):
        scale.prepare(0, 0, [x, y])
    with pytest.raises(errors.InvalidArgumentError, match="scale: y is read-only"):
        scale.prepare(0, 0, [_native.Tensor(y, writable=False), x])


class Exporter:
    """An array of a library that Camp does not know."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **arguments: object) -> object:
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_any_dlpack_exporter(scale: _native.Operator) -> None:
    y, x = pair()
    scale.prepare(0, 0, [Exporter(y), _native.Tensor(x.__dlpack__())])()
    np.testing.assert_array_equal(y, 2 * x)


def test_host_memory_on_nvidia(fake_build) -> None:
    folder = fake_build({"FAKE_BACKEND": '"nvidia"'})
    library = _native.Library(str(folder / "libcamp_runtime.so"))
    scale = _native.Operator(library, str(folder / "libcamp_op_scale.so"), "scale")
    with pytest.raises(errors.InvalidArgumentError, match=r"y lies in host memory.*CUDA tensor"):
        scale.prepare(0, 0, list(pair()))
    tensors = [_native.Tensor.from_pointer(64, "f32", (0,), place="cuda", device=3)] * 2
    with pytest.raises(
        errors.InvalidArgumentError, match="device 3, and this call is for device 0"
    ):
        scale.prepare(0, 0, tensors)
    with pytest.raises(errors.InvalidArgumentError, match="only the sim backend"):
        library.sim_take_report()


def test_gpu_memory_on_sim(scale: _native.Operator) -> None:
    tensors = [_native.Tensor.from_pointer(64, "f32", (4,), place="cuda")] * 2
    with pytest.raises(errors.InvalidArgumentError, match=r"y lies on a GPU.*numpy array"):
        scale.prepare(0, 0, tensors)


# ---- the device ----


def test_memory_and_copies(library: _native.Library) -> None:
    pointer = library.alloc(0, 64)
    assert pointer % 256 == 0
    source, back = np.arange(64, dtype=np.uint8), np.zeros(64, np.uint8)
    library.copy(pointer, source.ctypes.data, 64, "host_to_device")
    library.memset(pointer, 255, 1)
    library.copy(back.ctypes.data, pointer, 64, "device_to_host")
    library.free(0, pointer)
    np.testing.assert_array_equal(back, [255, *range(1, 64)])
    assert library.alloc(0, 0) == 0
    with pytest.raises(errors.InvalidArgumentError, match="'sideways' is no copy"):
        library.copy(0, 0, 0, "sideways")
    with pytest.raises(errors.OutOfDeviceMemoryError):
        library.alloc(0, 2 << 40)


def test_streams_and_events(library: _native.Library) -> None:
    stream = library.stream_create(0)
    start, end = library.event_create(0), library.event_create(0)
    with pytest.raises(errors.InvalidObjectError, match="never recorded"):
        library.event_elapsed_ms(start, end)
    library.event_record(start, stream)
    library.event_record(end)
    library.event_synchronize(end)
    library.stream_synchronize(stream)
    assert library.event_elapsed_ms(start, end) == 1.5
    library.event_destroy(start)
    library.event_destroy(end)
    library.stream_destroy(stream)


def test_device_queries(library: _native.Library) -> None:
    assert (library.backend, library.device_count(), library.abi_version) == ("sim", 1, 1)
    info = library.device_info(0)
    assert (info["name"], info["compute_major"], info["memory_bytes"]) == ("fake", 9, 1 << 40)
    library.device_synchronize(0)
    for call in (library.device_info, library.device_synchronize):
        with pytest.raises(errors.NoDeviceError):
            call(1)


def test_simulator_options(library: _native.Library) -> None:
    library.sim_configure(schedule_seed=1, workers=2, time_limit_ms=3, poison=4)
    with pytest.raises(errors.InvalidArgumentError, match="unlucky"):
        library.sim_configure(schedule_seed=13)
    library.sim_reset()
    assert library.sim_take_report() == '{"faults": [], "launches": []}'


def test_empty_is_taken_over_by_dlpack(library: _native.Library, allocations) -> None:
    before = allocations()
    array = np.from_dlpack(library.empty(0, "i64", (2, 3)))
    assert (array.shape, array.dtype) == ((2, 3), np.dtype(np.int64))
    array[:] = 4  # the memory is writable
    assert allocations() == before + 1
    del array
    gc.collect()
    assert allocations() == before
    with pytest.raises(errors.InvalidArgumentError, match="leaves 64 bits"):
        library.empty(0, "f32", (1 << 40, 1 << 40))


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
