"""clocks: the GPU's clocks and what slows them, read from the driver's management library (NVML)
while a sample runs. They are read, never set.

nvidia-smi tells the same, but takes longer to start than a whole case takes to sample.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

_SM, _MEMORY = 1, 2  # nvmlClockType_t
# nvmlClocksEventReasons: the bits that say the device runs slower than it could. Bits left out tell
# of an idle device (0x1) and of clocks that somebody chose (0x2, 0x100).
THROTTLE_REASONS = {
    0x04: "software power cap",
    0x08: "hardware slowdown",
    0x10: "sync boost",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}
# A boosted clock moves by a few steps of 15 MHz; the next lower state is far below.
FULL_CLOCK_SHARE = 0.9


@dataclass(frozen=True)
class Clock:
    """Clocks in MHz and the bit mask of what limits them, at one moment."""

    sm_mhz: int
    memory_mhz: int
    reasons: int

    def to_json(self) -> dict[str, str]:
        return {
            "sm": f"{self.sm_mhz} MHz",
            "memory": f"{self.memory_mhz} MHz",
            "throttle_reasons": f"0x{self.reasons:016x}",
        }


def throttled(clock: Clock, maximum_mhz: int) -> str:
    """Why the device was slower than it can be, "" when it was not. `maximum_mhz` is the highest SM
    clock of the run."""
    named = [name for bit, name in THROTTLE_REASONS.items() if clock.reasons & bit]
    if named:
        return named[0]
    if clock.sm_mhz < FULL_CLOCK_SHARE * maximum_mhz:
        return "low clock"
    return ""


class ClockReader:
    """Reads the clocks of one CUDA device of this process. `open` gives None where it cannot."""

    def __init__(self, nvml: Any, device: ctypes.c_void_p, driver: str) -> None:
        self._nvml, self._device, self.driver = nvml, device, driver

    @classmethod
    def open(cls, ordinal: int = 0, load: Any = ctypes.CDLL) -> ClockReader | None:
        """`ordinal` counts the devices this process sees; `load` loads a library by its name."""
        try:
            cuda, nvml = load("libcuda.so.1"), load("libnvidia-ml.so.1")
        except OSError:
            return None
        # NVML counts devices that CUDA_VISIBLE_DEVICES hides, so the bus address tells which it is.
        bus_id = ctypes.create_string_buffer(64)
        number, device = ctypes.c_int(), ctypes.c_void_p()
        driver = ctypes.create_string_buffer(80)
        try:
            # Each gives 0 when it succeeds; the first that does not ends the row.
            failed = (
                cuda.cuInit(0)
                or cuda.cuDeviceGet(ctypes.byref(number), ordinal)
                or cuda.cuDeviceGetPCIBusId(bus_id, len(bus_id), number)
                or nvml.nvmlInit_v2()
                or nvml.nvmlDeviceGetHandleByPciBusId_v2(bus_id, ctypes.byref(device))
                or nvml.nvmlSystemGetDriverVersion(driver, len(driver))
            )
        except AttributeError:  # an older library
            return None
        if failed:
            return None
        reader = cls(nvml, device, driver.value.decode("ascii", "replace"))
        return reader if reader.read() is not None else None

    def read(self) -> Clock | None:
        """The clocks of this moment; None where the driver does not tell."""
        sm, memory = ctypes.c_uint(), ctypes.c_uint()
        reasons = ctypes.c_ulonglong()
        nvml, device = self._nvml, self._device
        if (
            nvml.nvmlDeviceGetClockInfo(device, _SM, ctypes.byref(sm)) != 0
            or nvml.nvmlDeviceGetClockInfo(device, _MEMORY, ctypes.byref(memory)) != 0
            or nvml.nvmlDeviceGetCurrentClocksThrottleReasons(device, ctypes.byref(reasons)) != 0
        ):
            return None
        return Clock(sm.value, memory.value, reasons.value)
