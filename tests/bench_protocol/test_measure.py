"""test_measure: the parent's side of a timing, with a worker that is played here."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import camp.bench.measure as module
from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import set_values
from camp.bench.measure import measure
from camp.bench.results import BenchResult, Outcome
from camp.errors import KernelFault, UsageError
from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
CASES = [
    BenchCase("small", "f32", {"y": (5000,), "x": (5000,)}),
    BenchCase("large", "f32", {"y": (1 << 26,), "x": (1 << 26,)}),
]
DEVICE = {"name": "Fake", "memory_clock_khz": 2_000_000, "memory_bus_width_bits": 8000}


class FakeWorker:
    """A worker whose kernel copies what it should, but for the sets in `broken`."""

    asked: ClassVar[list[dict[str, Any]]]
    broken: ClassVar[set[int]]

    def __init__(self, request: dict[str, Any]) -> None:
        self.seed = request["seed"]

    def ask(self, timeout_s: float, **message: Any) -> dict[str, Any]:
        self.asked.append(message)
        if message["do"] == "describe":
            return {"device": DEVICE, "backend": "nvidia", "driver": "580.1"}
        if message["do"] == "clocks":
            return {"clocks": {"sm": "1980 MHz", "memory": "3201 MHz", "throttle_reasons": "0x0"}}
        if message["do"] == "output":
            return {}
        us = 200.0 if message["case"]["name"] == "large" else 20.0
        return self.answer(us)

    def answer(self, us: float) -> dict[str, Any]:
        def sampled(value: float) -> dict[str, Any]:
            found = {"calls_per_sample": 1, "method": "graph", "stop": "stable", "drift": 0.0}
            return {**found, "samples_us": [value] * 31, "reasons": {}}

        return {
            "sets": 4,
            "starved": 1,
            "verifiable": [2, 3, 0, 1],
            "ceiling_kind": "copy",
            "kernel": sampled(us),
            "ceilings": {"copy": sampled(0.95 * us)},
            "peers": {"torch": sampled(1.1 * us)},
            "clocks_known": True,
            "host": None,
            "notes": [],
        }

    def outputs(self, dtype: str, shape: tuple[int, ...], rows: Sequence[slice]) -> list[Any]:
        index = self.asked[-1]["set"]
        [case] = [case for case in CASES if case.shapes["y"] == shape]
        parts = [set_values(case, "x", self.seed, index, part) for part in rows]
        if index in self.broken:
            parts[0] = np.full_like(parts[0], np.nan)
        return parts

    def close(self) -> None:
        pass


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> type[FakeWorker]:
    class Worker(FakeWorker):
        asked: ClassVar[list[dict[str, Any]]] = []
        broken: ClassVar[set[int]] = set()

    def cases(root: Path, op: str) -> Any:
        found = load_cases(root, op)
        found.CASES = CASES
        return found

    monkeypatch.setattr(module, "WorkerSession", Worker)
    monkeypatch.setattr(module, "load_cases", cases)
    return Worker


def run(*names: str, **options: Any) -> BenchResult:
    libraries = {"runtime": Path("r.so"), "copy": Path("c.so")}
    return measure(Workspace(ROOT), "copy", "nvidia", libraries, case_names=names, **options)


def test_a_right_kernel_has_times_and_conditions(worker: type[FakeWorker]) -> None:
    result = run("small")
    [case] = result.cases
    assert (case.outcome, case.best_peer) == (Outcome.OK, "torch")
    assert case.notes == ("samples in which the device waited for the host: 1",)
    assert case.percent_of_ceiling == pytest.approx(95.0)
    assert result.conditions["driver"] == "580.1"
    assert result.conditions["clocks_before"]["sm"] == "1980 MHz"
    assert result.conditions["clocks_after"]["sm"] == "1980 MHz"


def test_the_set_written_last_and_a_drawn_one_are_verified(worker: type[FakeWorker]) -> None:
    run("small")
    sets = {message["set"] for message in worker.asked if message["do"] == "output"}
    assert 1 in sets, "verifiable names the last one last"
    assert len(sets) <= 2


@pytest.mark.parametrize("broken", [{1}, {0, 2, 3, 1}])
def test_a_wrong_output_is_no_time(worker: type[FakeWorker], broken: set[int]) -> None:
    worker.broken = broken
    [case] = run("small").cases
    assert case.outcome is Outcome.WRONG
    assert "y[0]" in case.message
    assert case.notes == ()


def test_of_large_outputs_some_rows_are_fetched(worker: type[FakeWorker]) -> None:
    [case] = run("large").cases
    assert case.outcome is Outcome.OK
    [asked] = [message for message in worker.asked if message["do"] == "output"]
    rows = asked["rows"]
    assert (rows[0][0], rows[-1][1]) == (0, 1 << 26)
    assert sum(stop - start for start, stop in rows) < 1 << 20


def test_hot_is_asked_for_and_shows_no_speed_of_memory(worker: type[FakeWorker]) -> None:
    [case] = run("small", hot=True).cases
    assert (case.hot, case.gbps) == (True, None)
    [asked] = [message for message in worker.asked if message["do"] == "time"]
    assert asked["hot"] is True


def test_a_fault_is_a_result_and_the_next_case_has_a_new_worker(
    worker: type[FakeWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = FakeWorker.answer

    def fails_when_small(self: FakeWorker, us: float) -> dict[str, Any]:
        if us < 100.0:
            raise KernelFault("the kernel read address 0")
        return answer(self, us)

    monkeypatch.setattr(worker, "answer", fails_when_small)
    small, large = run().cases
    assert (small.outcome, small.message) == (Outcome.FAULT, "the kernel read address 0")
    assert large.outcome is Outcome.OK
    assert [message["do"] for message in worker.asked].count("describe") == 2


def test_an_unknown_case_is_named(worker: type[FakeWorker]) -> None:
    with pytest.raises(UsageError, match="no benchmark case 'huge'"):
        run("huge")
