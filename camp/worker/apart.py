"""apart: runs cases under a tool that watches the GPU, such as a memory checker or a profiler.

`python -S -m camp.worker.apart PLAN` reads a plan (JSON) and runs its cases in order. Every tensor
lies in an allocation of its own that ends with its last byte, so that an access beside it is one to
nobody's memory; what no input fills stays as it was allocated, so that reading it is seen. The
workspace is zeroed, as every caller has to.

A plan names the runtime, the operator's library and its id, a file of values, a mark, and cases:
  id, attributes, warm_ups (calls before the one that counts), tensors in the operator's order:
  name, dtype, shape, strides (elements, or null), bytes (from the first element to past the last
  one), shift_bytes (from the allocation's start to the first element), values ([offset, size] in
  the file, repeated where the tensor is longer; null for an output)

Around each case it prints two lines that begin with the mark and go on in JSON:
  {"begin": id, "memory": {name of a tensor or "workspace": [address, bytes]}}
  {"end": id, "status", "message"}
so that what the tool prints between them is told to belong to that case.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import sys
from collections.abc import Callable, Iterator
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from camp.worker.abi import SUCCESS, AbiError, Library

_TO_DEVICE = 0
_CHUNK_BYTES = 1 << 20


def main(path: str) -> int:
    """Runs a plan until a case leaves the device unusable."""
    with open(path, encoding="utf-8") as file:
        plan = json.load(file)
    with open(plan["values"], "rb") as stream:
        values = stream.read()
    library = Library(plan["runtime"], plan["library"], plan["operator"])

    def say(**words: Any) -> None:
        ctypes.CDLL(None).fflush(None)  # a kernel's printf belongs to the case before
        print(f"\n{plan['mark']} {json.dumps(words)}", flush=True)

    for case in plan["cases"]:
        try:
            with _Device(library) as device:
                answer = _run(library, device, case, values, say)
        except AbiError as error:  # after a fault every further call fails
            answer = {"status": "DEVICE_ERROR", "message": str(error)}
        say(end=case["id"], **answer)
        if answer["status"] in ("KERNEL_FAULT", "DEVICE_ERROR"):
            break
    return 0


class _Device:
    """A stream, a handle and allocations, freed at the end."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._allocations: list[c_void_p] = []
        self.stream, self.handle = c_void_p(), c_void_p()
        library.must("camp_stream_create", 0, byref(self.stream))
        library.must("camp_handle_create", byref(self.handle), 0, self.stream)

    def __enter__(self) -> _Device:
        return self

    def __exit__(self, *_: object) -> None:
        for address in self._allocations:
            self._library.call("camp_memory_free", 0, address)
        self._library.call("camp_handle_destroy", self.handle)
        self._library.call("camp_stream_destroy", self.stream)

    def allocate(self, size: int) -> int:
        """Device memory of exactly `size` bytes; 0 for none."""
        if size == 0:
            return 0
        address = c_void_p()
        self._library.must("camp_memory_alloc", 0, c_size_t(size), byref(address))
        self._allocations.append(address)
        return int(address.value or 0)

    def fill(self, address: int, size: int, values: bytes) -> None:
        """Copies values there, again and again until `size` bytes are written."""
        if size == 0:
            return
        source = ctypes.create_string_buffer(values, len(values))
        for start in range(0, size, len(values)):
            count = c_size_t(min(len(values), size - start))
            self._library.must(
                "camp_memory_copy", c_void_p(address + start), source, count, _TO_DEVICE, None
            )
        self._library.must("camp_stream_synchronize", None)


def _run(
    library: Library,
    device: _Device,
    case: dict[str, Any],
    values: bytes,
    say: Callable[..., None],
) -> dict[str, str]:
    pointers = [_place(device, tensor, values) for tensor in case["tensors"]]
    code, operator = library.create(device.handle, case["tensors"], case["attributes"])
    if code != SUCCESS:
        return library.status(code)
    size = c_size_t()
    library.must("camp_operator_workspace_bytes", operator, byref(size))
    workspace = device.allocate(size.value)
    device.fill(workspace, size.value, bytes(min(size.value, _CHUNK_BYTES)))
    places = zip(case["tensors"], pointers, strict=True)
    memory = {tensor["name"]: [pointer, tensor["bytes"]] for tensor, pointer in places}
    say(begin=case["id"], memory={**memory, "workspace": [workspace, size.value]})

    def call() -> int:
        code = library.execute(operator, workspace, size.value, pointers)
        return code or library.call("camp_stream_synchronize", device.stream)

    for _ in range(case["warm_ups"]):
        code = call()
        if code != SUCCESS:
            return library.status(code)
    with _profiled():
        code = call()
    answer = library.status(code)
    library.call("camp_operator_destroy", operator)
    return answer


def _place(device: _Device, tensor: dict[str, Any], values: bytes) -> int:
    """The address of a tensor's first element."""
    shift: int = tensor["shift_bytes"]
    start = device.allocate(shift + tensor["bytes"]) + shift
    if tensor["values"] is not None and tensor["bytes"]:
        offset, size = tensor["values"]
        device.fill(start, tensor["bytes"], values[offset : offset + size])
    return start


@contextlib.contextmanager
def _profiled() -> Iterator[None]:
    """What a profiler that waits to be told is to look at; nothing without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        start, stop = driver.cuProfilerStart, driver.cuProfilerStop
    except (OSError, AttributeError):
        yield
        return
    start()
    try:
        yield
    finally:
        stop()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
