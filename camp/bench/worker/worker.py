"""worker: one operator of one backend in this process, and what it can be asked."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from camp.bench import library
from camp.bench.cases import BenchCase
from camp.bench.clocks import Clock, ClockReader
from camp.bench.gpu import BufferSets
from camp.spec import load_spec


class Worker:
    """Every verb takes the message of a request and returns the answer, both JSON."""

    def __init__(self, request: dict[str, Any]) -> None:
        native: Any = importlib.import_module("camp._native")

        self.root, self.op, self.seed = Path(request["root"]), request["op"], request["seed"]
        self.arena = int(request["arena"])
        self.spec = load_spec(self.root, self.op)
        self.inputs = [tensor.name for tensor in self.spec.inputs]
        self.outputs = [tensor.name for tensor in self.spec.outputs]
        self.runtime = native.Library(request["runtime"])
        self.operator = native.Operator(self.runtime, request["library"], self.op)
        self.clock_reader = ClockReader.open() if self.runtime.backend == "nvidia" else None
        self.libraries = library.load(request["beside"])
        self.peers: list[str] = request["peers"]
        self.maximum_mhz = 0
        self.sets: BufferSets | None = None
        self._stream = 0

    def describe(self, message: dict[str, Any]) -> dict[str, Any]:
        """What the device is."""
        return {
            "device": self.runtime.device_info(0),
            "backend": self.runtime.backend,
            "driver": self.clock_reader.driver if self.clock_reader else None,
        }

    def clocks(self, message: dict[str, Any]) -> dict[str, Any]:
        """The device's clocks now."""
        clock = self.read_clock()
        return {"clocks": clock.to_json() if clock else None}

    def time(self, message: dict[str, Any]) -> dict[str, Any]:
        """Samples the kernel, ceilings and peers, interleaved."""
        from camp.bench.worker.timing import time_case

        return time_case(self, _case(message), message["limit_s"], hot=message["hot"])

    def output(self, message: dict[str, Any]) -> dict[str, Any]:
        """Writes leading rows of the first output of one set into the arena, range after range."""
        assert self.sets is not None
        self.write(
            self.sets.read(self.outputs[0], message["set"], slice(*rows)).tobytes()
            for rows in message["rows"]
        )
        return {}

    def count(self, message: dict[str, Any]) -> dict[str, Any]:
        """Runs one case on the simulator; its report and, in the arena, the first output."""
        from camp.bench.worker.counting import count_case

        return count_case(self, _case(message))

    def attributes(self, case: BenchCase) -> list[float]:
        """The attributes of a case in the operator's order."""
        return [
            case.attributes.get(attribute.name, attribute.default)
            for attribute in self.spec.attributes
        ]

    def stream(self) -> int:
        """The stream of all timings. One for the process: torch keeps memory for each it sees."""
        if not self._stream:
            self._stream = self.runtime.stream_create(0)
        return self._stream

    def read_clock(self) -> Clock | None:
        return self.clock_reader.read() if self.clock_reader else None

    def release(self) -> None:
        """Frees the buffers of the last case."""
        if self.sets is not None:
            self.sets.free()
            self.sets = None

    def write(self, parts: Iterable[bytes]) -> None:
        """Makes the arena hold these bytes."""
        offset = 0
        os.ftruncate(self.arena, 0)
        for part in parts:
            view = memoryview(part)
            while len(view):
                written = os.pwrite(self.arena, view[: 1 << 30], offset)
                view, offset = view[written:], offset + written


def _case(message: dict[str, Any]) -> BenchCase:
    case = message["case"]
    shapes = {name: tuple(shape) for name, shape in case["shapes"].items()}
    return BenchCase(case["name"], case["dtype"], shapes, case["attributes"])
