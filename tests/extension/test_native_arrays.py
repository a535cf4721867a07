"""camp._native against a fake runtime: arrays seen in place, their lifetimes, the device."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from camp import _native, errors


def pair(n: int = 5) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros(n, np.float32), np.arange(n, dtype=np.float32)


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
