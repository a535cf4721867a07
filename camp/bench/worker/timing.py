"""timing: one case on a GPU: buffers, the kernel and what is measured beside it, samples."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from camp.bench import ceilings, peers
from camp.bench.cases import BenchCase, load_cases
from camp.bench.gpu import BufferSets
from camp.bench.host import host_cost
from camp.bench.plan import buffer_sets
from camp.bench.protocol import SHORT_CALL_US, Candidate, Sampling, sample
from camp.bench.results import HostCost
from camp.bench.rig import Rig
from camp.bench.stopwatch import DeviceStopwatch
from camp.errors import CampError, DeviceError

if TYPE_CHECKING:
    from camp.bench.worker.worker import Worker

KERNEL, TORCH = "the kernel", "torch"
CEILING = "ceiling: "


def time_case(worker: Worker, case: BenchCase, limit_s: float, *, hot: bool) -> dict[str, Any]:
    """What was sampled, as JSON; the buffers stay in `worker.sets`, to be verified.

    hot: all calls work on one buffer set.
    """
    info = worker.runtime.device_info(0)
    worker.release()
    # Once for the operator, once for the memory beside it that ceilings and peers write to.
    count = buffer_sets(case.minimum_bytes, info["l2_bytes"], info["memory_bytes"], copies=2)
    if count == 0:
        gigabytes = 8 * case.minimum_bytes / 1e9
        return {"skipped": f"needs {gigabytes:.1f} GB of device memory for cold buffers"}
    stream = worker.stream()
    worker.sets = BufferSets(worker.runtime, 0, stream, case, 1 if hot else count)
    worker.sets.fill(worker.inputs, worker.seed)
    module = load_cases(worker.root, worker.op)
    rig = Rig(
        worker.runtime, worker.libraries, stream, module, worker.spec, worker.sets, worker.seed
    )
    stopwatch = DeviceStopwatch(
        worker.runtime, 0, stream, info["l2_bytes"], hot=hot, read_clock=worker.read_clock
    )
    try:
        return _sampled(worker, rig, stopwatch, limit_s)
    finally:
        stopwatch.free()
        rig.free()


def _sampled(
    worker: Worker, rig: Rig, stopwatch: DeviceStopwatch, limit_s: float
) -> dict[str, Any]:
    if rig.libraries.bench is not None:
        rig.libraries.bench.reset_l2(rig.stream)
    calls = _prepared(worker, rig)
    kernel = Candidate(
        KERNEL,
        lambda index: calls[index](),
        lambda index: rig.sets.poison(index, rig.outputs),
    )
    beside, left_out = peers.candidates(rig, worker.peers)
    require_usable(rig, left_out)
    limits = [Candidate(CEILING + each.name, each.call) for each in ceilings.candidates(rig)]
    found = sample(
        stopwatch,
        kernel,
        [*limits, *beside],
        rig.count,
        time_limit_s=limit_s,
        maximum_mhz=worker.maximum_mhz,
    )
    worker.maximum_mhz = found.maximum_mhz
    answer = _answer(found, rig, stopwatch)
    answer["notes"] += left_out
    if "bench" in rig.libraries.problems:
        reason = rig.libraries.problems["bench"]
        answer["notes"].append(f"the ceilings are left out but for the device's copy: {reason}")
    median = found.kernel.samples_us and found.kernel.summary.median
    if median and median < SHORT_CALL_US:
        answer["host"] = asdict(_host_cost(rig, calls[0], beside))
    return answer


def require_usable(rig: Rig, left_out: list[str]) -> None:
    """Raises DeviceError where a peer broke the device, which the kernel would be blamed for.

    left_out: what was said of the peers that were left out.
    """
    try:
        rig.runtime.stream_synchronize(rig.stream)
    except CampError as error:
        raise DeviceError(
            f"the device failed before the kernel ran: {error.message}; {'; '.join(left_out)}",
            status="DEVICE_ERROR",
            hint="leave that peer out: --peer",
        ) from error


def _prepared(worker: Worker, rig: Rig) -> list[Any]:
    """The operator, prepared for every set."""
    attributes = worker.attributes(rig.case)
    return [
        worker.operator.prepare(0, rig.stream, rig.sets.tensors(index), attributes)
        for index in range(rig.count)
    ]


def _answer(found: Sampling, rig: Rig, stopwatch: DeviceStopwatch) -> dict[str, Any]:
    limits = {name: s for name, s in found.beside.items() if name.startswith(CEILING)}
    kind = ceilings.kind(rig.case, rig.inputs, rig.outputs)
    return {
        "sets": rig.count,
        "starved": stopwatch.starved,
        # Poisoned before the last sample and written by it: what verification may look at.
        "verifiable": list(dict.fromkeys(found.kernel.last_sets)),
        # Without the library of ceilings there is only the device's own copy.
        "ceiling_kind": kind if CEILING + kind in limits else ceilings.COPY,
        "kernel": found.kernel.to_json(),
        "ceilings": {name[len(CEILING) :]: s.to_json() for name, s in limits.items()},
        "peers": {name: s.to_json() for name, s in found.beside.items() if name not in limits},
        "clocks_known": found.maximum_mhz > 0,
        "host": None,
        "notes": list(found.notes),
    }


def _host_cost(rig: Rig, kernel: Any, beside: list[Candidate]) -> HostCost:
    torch = next((each for each in beside if each.name == TORCH), None)
    bench = rig.libraries.bench
    return host_cost(
        lambda: rig.runtime.stream_synchronize(rig.stream),
        kernel,
        torch=(lambda: torch.call(0)) if torch else None,
        floor=(lambda launches: bench.launch_floor_us(launches, rig.stream)) if bench else None,
    )
