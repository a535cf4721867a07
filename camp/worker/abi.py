"""abi: the C ABI as the worker calls it, through ctypes.

camp._native refuses what the grader must be able to do (null pointers, a short workspace), and
costs numpy's start-up; the C functions are the contract anyway.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_int,
    c_int64,
    c_size_t,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

ABI_VERSION = 1
SUCCESS = 0
DTYPES = ("f32", "f16", "bf16", "f64", "i32", "i64", "u8")  # codes in this order
STATUSES = (
    "SUCCESS",
    "INVALID_ARGUMENT",
    "INVALID_OBJECT",
    "UNSUPPORTED_DTYPE",
    "SHAPE_MISMATCH",
    "UNSUPPORTED_LAYOUT",
    "OVERFLOW",
    "WORKSPACE_TOO_SMALL",
    "OUT_OF_MEMORY",
    "NO_DEVICE",
    "LAUNCH_FAILED",
    "KERNEL_FAULT",
    "DEVICE_ERROR",
    "INTERNAL",
)  # likewise
_F64 = 0  # CAMP_ATTRIBUTE_F64


class AbiError(Exception):
    """A call that must not fail did, or a library is not what it should be."""


class _AttributeValue(ctypes.Union):
    _fields_ = (("f64", c_double), ("i64", c_int64))


class _AttributeSpec(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("type", c_int), ("default", _AttributeValue))


class _TensorSpec(ctypes.Structure):
    _fields_ = (("name", c_char_p), ("role", c_int))


_CREATE = ctypes.CFUNCTYPE(
    c_int, POINTER(c_void_p), c_void_p, POINTER(c_void_p), POINTER(_AttributeValue)
)
_EXECUTE = ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p, c_size_t, POINTER(c_void_p))


class _VTable(ctypes.Structure):
    _fields_ = (
        ("abi_version", c_uint32),
        ("name", c_char_p),
        ("tensor_count", c_size_t),
        ("tensors", POINTER(_TensorSpec)),
        ("attribute_count", c_size_t),
        ("attributes", POINTER(_AttributeSpec)),
        ("create", _CREATE),
        ("execute", _EXECUTE),
    )


class SimOptions(ctypes.Structure):
    """camp_sim_options_t."""

    _fields_ = (
        ("schedule_seed", c_uint64),
        ("workers", c_uint32),
        ("time_limit_ms", c_uint32),
        ("poison", c_uint8),
        ("reserved", c_uint8 * 3),
        ("most_blocks", c_uint32),
    )


class Library:
    """The runtime and one operator library, loaded for this process."""

    def __init__(self, runtime: str, operator: str, op_id: str) -> None:
        try:
            self._c = ctypes.CDLL(runtime)
            self._c.camp_abi_version.restype = c_uint32
            if self._c.camp_abi_version() != ABI_VERSION:
                raise AbiError(f"{runtime}: built for another ABI version; rebuild")
            self._operator = ctypes.CDLL(operator)
            self._vtable = _VTable.in_dll(self._operator, f"camp_{op_id}_vtable")
        except (OSError, AttributeError, ValueError) as error:
            raise AbiError(f"the library does not load: {error}") from error
        if self._vtable.abi_version != ABI_VERSION:
            raise AbiError(f"{operator}: built for another ABI version; rebuild")
        for name in ("camp_last_error_message", "camp_backend_name"):
            getattr(self._c, name).restype = c_char_p
        self.backend = self._c.camp_backend_name().decode()

    def tensors(self) -> list[tuple[str, int]]:
        """(name, role) of every tensor, in order."""
        table = self._vtable
        return [(t.name.decode(), t.role) for t in table.tensors[: table.tensor_count]]

    def status(self, code: int) -> dict[str, str]:
        """Name and message of a status, for the reply."""
        message = self._c.camp_last_error_message().decode(errors="replace") if code else ""
        name = STATUSES[code] if 0 <= code < len(STATUSES) else f"status {code}"
        return {"status": name, "message": message}

    def must(self, name: str, *arguments: Any) -> None:
        """Calls a function of the runtime that has to succeed."""
        code = getattr(self._c, name)(*arguments)
        if code != SUCCESS:
            answer = self.status(code)
            raise AbiError(f"{name}: {answer['status']}: {answer['message']}")

    def call(self, name: str, *arguments: Any) -> int:
        """Calls a function of the runtime; its status code."""
        return int(getattr(self._c, name)(*arguments))

    def create(
        self, handle: c_void_p, tensors: Sequence[dict[str, Any]], attributes: dict[str, float]
    ) -> tuple[int, c_void_p]:
        """Creates an operator from freshly made descriptors, which are destroyed before return."""
        operator = c_void_p()
        descriptors = (c_void_p * max(len(tensors), 1))()
        try:
            for i, tensor in enumerate(tensors):
                descriptor = c_void_p()
                code = self._describe(descriptor, tensor)
                if code != SUCCESS:
                    return code, operator
                descriptors[i] = descriptor.value
            values = self._attributes(attributes)
            return int(self._vtable.create(byref(operator), handle, descriptors, values)), operator
        finally:
            for address in descriptors:
                if address:
                    self.must("camp_tensor_descriptor_destroy", c_void_p(address))

    def _describe(self, made: c_void_p, tensor: dict[str, Any]) -> int:
        shape, strides = tensor["shape"], tensor["strides"]
        rank = len(shape)
        axes = c_int64 * max(rank, 1)
        return int(
            self._c.camp_tensor_descriptor_create(
                byref(made),
                DTYPES.index(tensor["dtype"]),
                c_size_t(rank),
                axes(*shape),
                None if strides is None else axes(*strides),
            )
        )

    def _attributes(self, given: dict[str, float]) -> Any:
        table = self._vtable
        count = table.attribute_count
        values = (_AttributeValue * max(count, 1))()
        for value, spec in zip(values, table.attributes[:count], strict=False):
            name = spec.name.decode()
            value.i64 = spec.default.i64
            if name in given and spec.type == _F64:
                value.f64 = float(given[name])
            elif name in given:
                value.i64 = int(given[name])
        return values

    def execute(
        self, operator: c_void_p, workspace: int, workspace_bytes: int, pointers: Sequence[int]
    ) -> int:
        """Launches; 0 is a null pointer."""
        table = (c_void_p * max(len(pointers), 1))(*(p or None for p in pointers))
        return int(self._vtable.execute(operator, workspace or None, workspace_bytes, table))

    def configure(self, options: SimOptions) -> None:
        """Sets the simulator's options; nothing on other backends."""
        if self.backend == "sim":
            self.must("camp_sim_configure", byref(options))

    def report(self) -> str | None:
        """The simulator's report since the last call; None on other backends."""
        if self.backend != "sim":
            return None
        self._c.camp_sim_take_report.restype = c_char_p
        text = self._c.camp_sim_take_report()
        return text.decode(errors="replace") if text else None
