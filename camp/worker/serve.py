"""serve: the worker's loop. One JSON line in, one out, each carrying the grader's nonce.

Requests: load, create, execute, destroy. Tensors lie in an arena (shared memory) at the offsets
that the grader names, or for a sampled launch in address space that repeats a window of it; on a
real device the same bytes are mirrored in one allocation.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
from collections.abc import Callable
from ctypes import byref, c_size_t, c_void_p
from typing import Any

from camp.worker.abi import SUCCESS, AbiError, Library, SimOptions
from camp.worker.wide import Wide

Request = dict[str, Any]
Reply = dict[str, Any]
_TO_DEVICE, _TO_HOST = 0, 1


def serve(request_fd: int, reply_fd: int, arena_fd: int) -> None:
    """Answers requests until the grader closes the pipe."""
    server = _Server(arena_fd)
    with os.fdopen(request_fd, "rb") as requests:
        for line in requests:
            request = json.loads(line)
            try:
                reply = server.answer(request)
            except AbiError as error:
                reply = {"error": str(error)}
            ctypes.CDLL(None).fflush(None)  # a kernel's printf belongs to this case
            reply["nonce"] = request["nonce"]
            _send(reply_fd, json.dumps(reply).encode() + b"\n")


def _send(fd: int, data: bytes) -> None:
    while data:
        data = data[os.write(fd, data) :]


class _Slot:
    """A prepared operator with its handle and stream."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.stream = c_void_p()
        self.handle = c_void_p()
        self.operator = c_void_p()
        library.must("camp_stream_create", 0, byref(self.stream))
        library.must("camp_handle_create", byref(self.handle), 0, self.stream)

    def close(self) -> None:
        if self.operator:
            self.library.must("camp_operator_destroy", self.operator)
        self.library.must("camp_handle_destroy", self.handle)
        self.library.must("camp_stream_destroy", self.stream)


class _Server:
    def __init__(self, arena_fd: int) -> None:
        size = os.fstat(arena_fd).st_size
        self.memory = mmap.mmap(arena_fd, size)
        os.close(arena_fd)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.library: Library | None = None
        self.slots: dict[int, _Slot] = {}
        self.device = c_void_p()  # mirror of the arena's first `device_bytes`
        self.device_bytes = 0

    def answer(self, request: Request) -> Reply:
        actions: dict[str, Callable[[Request], Reply]] = {
            "load": self.load,
            "create": self.create,
            "execute": self.execute,
            "destroy": self.destroy,
        }
        return actions[request["action"]](request)

    def load(self, request: Request) -> Reply:
        self.library = Library(request["runtime"], request["library"], request["operator"])
        return {"backend": self.library.backend, "tensors": self.library.tensors()}

    def create(self, request: Request) -> Reply:
        library = self._library()
        slot = _Slot(library)
        code, slot.operator = library.create(slot.handle, request["tensors"], request["attributes"])
        reply: Reply = library.status(code)
        if code == SUCCESS:
            size = c_size_t()
            library.must("camp_operator_workspace_bytes", slot.operator, byref(size))
            reply["workspace_bytes"] = size.value
        self.slots[request["slot"]] = slot
        return reply

    def execute(self, request: Request) -> Reply:
        library = self._library()
        options = SimOptions(
            schedule_seed=request["schedule_seed"],
            workers=request["workers"],
            time_limit_ms=request["time_limit_ms"],
            poison=request["poison"],
            most_blocks=request["most_blocks"],
        )
        library.configure(options)
        if request["window_bytes"]:
            size, spans = request["used_bytes"], request["spans"]
            with Wide(self.base, request["window_bytes"], size, spans) as wide:
                return self._launch(request, wide.address)
        base = self._upload(request["used_bytes"])
        return self._launch(request, base)

    def _launch(self, request: Request, base: int) -> Reply:
        library = self._library()
        library.report()
        code = SUCCESS
        runs = request["runs"]
        for run in runs:
            slot = self.slots[run["slot"]]
            pointers = [0 if offset is None else base + offset for offset in run["pointers"]]
            # Counters are kept in a workspace: it is never shown twice.
            own = self.base if request["window_bytes"] else base
            workspace = 0 if run["workspace"] is None else own + run["workspace"]
            code = library.execute(slot.operator, workspace, run["workspace_bytes"], pointers)
            if code != SUCCESS:
                break
        reply: Reply = library.status(code)
        for run in runs if code == SUCCESS else ():
            code = library.call("camp_stream_synchronize", self.slots[run["slot"]].stream)
            if code != SUCCESS:
                reply = library.status(code)
                break
        if code == SUCCESS:
            self._download(request["used_bytes"])
        reply["report"] = library.report()
        return reply

    def destroy(self, request: Request) -> Reply:
        self.slots.pop(request["slot"]).close()
        return {}

    def _library(self) -> Library:
        if self.library is None:
            raise AbiError("no library is loaded")
        return self.library

    def _upload(self, used_bytes: int) -> int:
        """The address that the arena has for kernels."""
        library = self._library()
        if library.backend == "sim":
            return self.base
        if used_bytes > self.device_bytes:
            library.must("camp_memory_free", 0, self.device)
            self.device = c_void_p()
            library.must("camp_memory_alloc", 0, c_size_t(used_bytes), byref(self.device))
            self.device_bytes = used_bytes
        self._copy(self.device, c_void_p(self.base), used_bytes, _TO_DEVICE)
        return int(self.device.value or 0)

    def _download(self, used_bytes: int) -> None:
        if self._library().backend != "sim":
            self._copy(c_void_p(self.base), self.device, used_bytes, _TO_HOST)

    def _copy(self, to: c_void_p, source: c_void_p, size: int, kind: int) -> None:
        library = self._library()
        library.must("camp_memory_copy", to, source, c_size_t(size), kind, None)
        library.must("camp_stream_synchronize", None)
