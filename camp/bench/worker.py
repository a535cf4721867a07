"""worker: runs learner code for a benchmark, alone in its process.

`python -m camp.bench.worker FD PARENT` speaks JSON lines over the socket FD with
camp.bench.session and dies with the process PARENT. It is told cases and a seed, and learns which
sets are verified only when their outputs already exist.
"""

from __future__ import annotations

import importlib
import json
import os
import socket
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import aligned_copy, base_values, storage_dtype
from camp.errors import CampError
from camp.spec import load_spec
from camp.worker import limits

KERNEL, CEILING, PEER = "kernel", "copy", "torch"
SIM_TIME_LIMIT_MS = 60_000


class Worker:
    """One operator of one backend in this process."""

    def __init__(self, request: dict[str, Any]) -> None:
        native: Any = importlib.import_module("camp._native")

        self.root, self.op, self.seed = Path(request["root"]), request["op"], request["seed"]
        self.arena = int(request["arena"])
        spec = load_spec(self.root, self.op)
        self.inputs = [tensor.name for tensor in spec.inputs]
        self.outputs = [tensor.name for tensor in spec.outputs]
        self.defaults = {attribute.name: attribute.default for attribute in spec.attributes}
        self.runtime = native.Library(request["runtime"])
        self.operator = native.Operator(self.runtime, request["library"], self.op)
        self.sets: Any = None

    def describe(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the device is."""
        return {"device": self.runtime.device_info(0), "backend": self.runtime.backend}

    def time(self, message: dict[str, Any]) -> dict[str, Any]:
        """Samples the kernel, a copy of the same bytes and torch, interleaved."""
        from camp.bench.gpu import BufferSets, EventStopwatch, Region
        from camp.bench.plan import buffer_sets
        from camp.bench.protocol import sample

        case, info = _case(message), self.runtime.device_info(0)
        self._release()
        # Once for the operator, once for the copy beside it, whose memory takes the peer's outputs.
        count = buffer_sets(case.minimum_bytes, info["l2_bytes"], info["memory_bytes"], copies=2)
        if count == 0:
            gigabytes = 8 * case.minimum_bytes / 1e9
            return {"skipped": f"needs {gigabytes:.1f} GB of device memory for cold buffers"}
        stream = self.runtime.stream_create(0)
        self.sets = BufferSets(self.runtime, 0, stream, case, count)
        self.sets.fill(self.inputs, self.seed)
        beside = Region(self.runtime, 0, case.minimum_bytes, count)
        stopwatch = EventStopwatch(self.runtime, 0, stream, info["l2_bytes"])
        candidates = [self._kernel(case, stream), self._copy(case, beside, stream)]
        peer = self._torch(case, beside, stream)
        candidates += [peer] if peer else []
        found = sample(stopwatch, candidates, count, time_limit_s=message["limit_s"])
        last = found[KERNEL]
        used = [(last.last_set - offset) % count for offset in range(last.calls_per_sample)]
        starved = stopwatch.starved
        stopwatch.free()
        beside.free()
        return {
            "sets": count,
            "starved": starved,
            # Poisoned before the last sample and written by it: what verification may look at.
            "verifiable": list(dict.fromkeys(used)),
            "samples": {name: asdict(samples) for name, samples in found.items()},
        }

    def output(self, message: dict[str, Any]) -> dict[str, Any]:
        """Writes the first output of one set into the arena."""
        values = self.sets.read(self.outputs[0], message["set"])
        os.ftruncate(self.arena, values.nbytes)
        _write(self.arena, values.reshape(-1).view("u1").data if values.nbytes else b"")
        return {}

    def count(self, message: dict[str, Any]) -> dict[str, Any]:
        """Runs one case on the simulator; its report and, in the arena, the first output."""
        import numpy as np

        case = _case(message)
        arrays = {
            name: aligned_copy(base_values(case, name, self.seed).reshape(case.shapes[name]))
            for name in self.inputs
        }
        for name in self.outputs:
            nothing = np.zeros(case.shapes[name], dtype=storage_dtype(case.dtype))
            arrays[name] = aligned_copy(nothing)
            arrays[name].reshape(-1).view("u1")[...] = 0xFF
        tensors = [
            (arrays[name].ctypes.data, case.dtype, tuple(shape))
            for name, shape in case.shapes.items()
        ]
        self.runtime.sim_configure(time_limit_ms=SIM_TIME_LIMIT_MS)
        failure = None
        try:
            self.operator.prepare(0, 0, tensors, self._attributes(case))()
        except CampError as error:
            failure = error.message
        report = json.loads(self.runtime.sim_take_report())
        output = arrays[self.outputs[0]]
        os.ftruncate(self.arena, output.nbytes)
        _write(self.arena, output.tobytes())
        return {"report": report, "failure": failure}

    def _attributes(self, case: BenchCase) -> list[float]:
        return [case.attributes.get(name, value) for name, value in self.defaults.items()]

    def _kernel(self, case: BenchCase, stream: int) -> Any:
        from camp.bench.protocol import Candidate

        prepared = [
            self.operator.prepare(0, stream, self.sets.tensors(index), self._attributes(case))
            for index in range(self.sets.count)
        ]

        def call(index: int) -> None:
            prepared[index]()

        def poison(index: int) -> None:
            self.sets.poison(index, self.outputs)

        return Candidate(KERNEL, call, poison)

    def _copy(self, case: BenchCase, beside: Any, stream: int) -> Any:
        from camp.bench.protocol import Candidate

        half = case.minimum_bytes // 2

        def call(index: int) -> None:
            slot = beside.slot(index)
            self.runtime.copy(slot, slot + half, half, "device_to_device", stream)

        return Candidate(CEILING, call)

    def _torch(self, case: BenchCase, beside: Any, stream: int) -> Any:
        from camp.bench.gpu import torch_tensor
        from camp.bench.protocol import Candidate

        peer = getattr(load_cases(self.root, self.op), "torch_peer", None)
        torch = _import_torch() if peer else None
        if peer is None or torch is None:
            return None
        torch.cuda.set_stream(torch.cuda.ExternalStream(stream))
        attributes = {**self.defaults, **case.attributes}
        views = []
        for index in range(self.sets.count):
            tensors, used = {}, 0
            for name, shape in case.shapes.items():
                pointer = self.sets.regions[name].slot(index)
                if name in self.outputs:
                    pointer, used = beside.slot(index) + used, used + case.bytes_of(name)
                tensors[name] = torch_tensor(torch, pointer, case.dtype, tuple(shape))
            views.append(tensors)

        def call(index: int) -> None:
            peer(torch, views[index], attributes)

        return Candidate(PEER, call)

    def _release(self) -> None:
        if self.sets is not None:
            self.sets.free()
            self.sets = None


def _import_torch() -> Any:
    try:
        torch = importlib.import_module("torch")
        return torch if torch.cuda.is_available() else None
    except Exception:  # a broken installation is no peer
        return None


def _case(message: dict[str, Any]) -> BenchCase:
    case = message["case"]
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    return BenchCase(case["name"], case["dtype"], shapes, case["attributes"])


def _write(descriptor: int, data: Any) -> None:
    view, offset = memoryview(data), 0
    while offset < len(view):
        offset += os.pwrite(descriptor, view[offset : offset + (1 << 30)], offset)


def main() -> int:
    """Answers requests until the other end closes."""
    limits.die_with_parent(int(sys.argv[2]))
    channel = socket.socket(fileno=int(sys.argv[1]))
    lines = channel.makefile("r", encoding="utf-8")
    worker: Worker | None = None
    for line in lines:
        message = json.loads(line)
        try:
            if worker is None:
                worker = Worker(message)
                answer: dict[str, Any] = {}
            else:
                verbs: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
                    "describe": worker.describe,
                    "time": worker.time,
                    "output": worker.output,
                    "count": worker.count,
                }
                answer = verbs[message["do"]](message)
        except CampError as error:
            answer = {
                "error": error.message,
                "kind": type(error).__name__,
                "status": getattr(error, "status", None),
                "hint": error.hint,
            }
        channel.sendall((json.dumps(answer) + "\n").encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
