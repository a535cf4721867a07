"""test_clocks: reading a driver library that is played here, and what counts as throttled."""

from __future__ import annotations

from typing import Any

import pytest

from camp.bench.clocks import Clock, ClockReader, throttled


class FakeCuda:
    def cuInit(self, flags: int) -> int:
        return 0

    def cuDeviceGet(self, number: Any, ordinal: int) -> int:
        number._obj.value = 10 + ordinal
        return 0

    def cuDeviceGetPCIBusId(self, text: Any, size: int, number: Any) -> int:
        text.value = f"0000:{number.value}:00.0".encode()
        return 0


class FakeNvml:
    """NVML of one device at bus address 0000:11:00.0."""

    def __init__(self) -> None:
        self.clocks = {1: 1980, 2: 3201}
        self.reasons = 0x4
        self.status = 0

    def nvmlInit_v2(self) -> int:
        return 0

    def nvmlDeviceGetHandleByPciBusId_v2(self, text: Any, device: Any) -> int:
        device._obj.value = 77
        return 0 if text.value == b"0000:11:00.0" else 6

    def nvmlSystemGetDriverVersion(self, text: Any, size: int) -> int:
        text.value = b"580.1"
        return 0

    def nvmlDeviceGetClockInfo(self, device: Any, kind: int, clock: Any) -> int:
        assert device.value == 77
        clock._obj.value = self.clocks[kind]
        return self.status

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, device: Any, reasons: Any) -> int:
        reasons._obj.value = self.reasons
        return 0


@pytest.fixture
def nvml() -> FakeNvml:
    return FakeNvml()


def opened(nvml: Any, ordinal: int = 1) -> ClockReader | None:
    libraries = {"libcuda.so.1": FakeCuda(), "libnvidia-ml.so.1": nvml}
    return ClockReader.open(ordinal, load=libraries.__getitem__)


def test_the_device_is_found_by_its_bus_address(nvml: FakeNvml) -> None:
    reader = opened(nvml)
    assert reader is not None
    assert reader.driver == "580.1"
    assert reader.read() == Clock(1980, 3201, 0x4)
    nvml.clocks[1] = 1200
    assert reader.read() == Clock(1200, 3201, 0x4)
    assert opened(nvml, ordinal=2) is None


def test_a_driver_that_tells_nothing_gives_no_clocks(nvml: FakeNvml) -> None:
    nvml.status = 3  # not supported
    assert opened(nvml) is None


def test_without_the_libraries_there_are_no_clocks() -> None:
    def load(name: str) -> Any:
        raise OSError(f"{name}: cannot open shared object file")

    assert ClockReader.open(load=load) is None
    assert opened(object()) is None, "a library without the functions"


@pytest.mark.parametrize(
    ("reasons", "word"),
    [
        (0x4, "software power cap"),
        (0x8, "hardware slowdown"),
        (0x40, "hardware thermal slowdown"),
        (0x1 | 0x20, "software thermal slowdown"),
        (0x0, ""),
        (0x1, ""),  # idle
        (0x2, ""),  # clocks that somebody chose
    ],
)
def test_reasons_other_than_none_idle_and_chosen_clocks_throttle(reasons: int, word: str) -> None:
    assert throttled(Clock(1980, 3201, reasons), 1980) == word


def test_a_clock_far_below_the_highest_seen_throttles() -> None:
    assert throttled(Clock(1755, 3201, 0), 1980) == "low clock"
    assert throttled(Clock(1785, 3201, 0), 1980) == ""
    assert throttled(Clock(1755, 3201, 0), 1755) == ""
