"""stand_in: a library of arrays with DLPack's table of C functions, on host memory, for tests of
eager calls where torch is not installed."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

HOST, CUDA = 1, 2  # DLPack's numbers of devices
CODES = {"i": 0, "u": 1, "f": 2}


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_View = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(_Tensor))
_Stream = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)
)


class _Table(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("view", _View),
        ("current_stream", _Stream),
    )


class Array:
    """Host memory that looks like a torch tensor, on the device that it says it is."""

    requires_grad = False
    device = (HOST, 0)
    broken = False

    def __init__(self, values: Any) -> None:
        self.values = values if isinstance(values, np.ndarray) else np.array(values, np.float32)
        steps = [step // self.values.itemsize for step in self.values.strides]
        extents = ctypes.c_int64 * max(1, self.values.ndim)
        self.extents, self.steps = extents(*self.values.shape), extents(*steps)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.values.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def is_neg(self) -> bool:
        return False


class Surroundings:
    """The library's current stream and whether it records, and its table."""

    def __init__(self, major: int = 1) -> None:
        self.stream = 0
        self.capturing = False
        self._table = _Table(major, 3, None, None, None, None, _View(_view), _Stream(self._current))
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = (
            ctypes.py_object,
            (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p),
        )
        self.exchange = new(ctypes.addressof(self._table), b"dlpack_exchange_api", None)

    def _current(self, kind: int, device: int, result: Any) -> int:
        result[0] = self.stream
        return 0


def _view(address: int, result: Any) -> int:
    array = ctypes.cast(address, ctypes.py_object).value
    if array.broken:
        return -1
    tensor = result[0]
    tensor.data = array.values.ctypes.data
    tensor.device_type, tensor.device_id = array.device
    tensor.ndim = array.values.ndim
    tensor.code, tensor.bits, tensor.lanes = (
        CODES[array.values.dtype.kind],
        array.values.itemsize * 8,
        1,
    )
    tensor.shape, tensor.strides = array.extents, array.steps
    tensor.byte_offset = 0
    return 0


def empty(shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any) -> Array:
    """A new array on the only GPU, filled so that what nobody wrote shows."""
    array = Array(np.full(shape, -77, dtype))
    assert array.values.strides == tuple(step * array.values.itemsize for step in strides)
    array.device = (CUDA, 0)
    return array
