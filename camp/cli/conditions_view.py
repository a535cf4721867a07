"""conditions_view: how the times of a run came about: protocol, ceilings, host cost, clocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median

from camp.bench.results import BenchResult, CaseResult, HostCost
from camp.cli.terminal import Terminal


def show_conditions(terminal: Terminal, result: BenchResult, cases: Sequence[CaseResult]) -> None:
    """Prints what the numbers of `cases`, all of them timed, need to be understood."""
    terminal.say(_ceilings(cases), "dim", label="ceiling: ")
    hosts = [case.host for case in cases if case.host is not None]
    if hosts:
        terminal.say(_host(hosts), "dim", label="host: ")
    terminal.say(_sampling(result, cases), "dim", label="hot: " if cases[0].hot else "cold: ")
    terminal.say(_clocks(result), "dim", label="clocks: ")


def _ceilings(cases: Sequence[CaseResult]) -> str:
    kinds = ", ".join(dict.fromkeys(case.ceiling_kind for case in cases))
    text = f"the fastest {kinds} of as many bytes on this device, timed in the same run"
    peaks = {case.datasheet_gbps for case in cases if case.datasheet_gbps}
    return text + "".join(f"; datasheet {peak:.0f} GB/s" for peak in sorted(peaks))


def _host(hosts: Sequence[HostCost]) -> str:
    """Medians over the cases."""
    parts = [f"{median(host.kernel_us for host in hosts):.2f} us to enqueue a prepared call"]
    floors = [host.floor_us for host in hosts if host.floor_us is not None]
    torch = [host.torch_us for host in hosts if host.torch_us is not None]
    if floors:
        parts.append(f"{median(floors):.2f} us a bare launch in a C loop")
    if torch:
        parts.append(f"{median(torch):.2f} us torch's call")
    return ", ".join(parts)


def _sampling(result: BenchResult, cases: Sequence[CaseResult]) -> str:
    timed = [case.kernel for case in cases if case.kernel is not None]
    if cases[0].hot:
        buffers = "one buffer set, which caches may hold: no speed of the memory"
    else:
        buffers = "rotating buffers of at least 8 x L2 and 512 MiB"
    stops = Counter(kernel.stop for kernel in timed)
    methods = Counter(kernel.method for kernel in timed)
    parts = [
        buffers,
        "random data",
        "candidates interleaved",
        f"at least {min(kernel.summary.n for kernel in timed)} samples a case "
        f"({', '.join(f'{count} {stop}' for stop, count in stops.items())})",
        f"timed by {', '.join(f'{name} ({count})' for name, count in methods.items())}",
    ]
    return "; ".join([*parts, f"seed {result.seed}"])


def _clocks(result: BenchResult) -> str:
    before, after = result.conditions.get("clocks_before"), result.conditions.get("clocks_after")
    if not before or not after:
        return "not recorded: the driver does not tell them"
    return (
        f"SM {before['sm']} before, {after['sm']} after; memory {after['memory']}; "
        f"throttle reasons {after['throttle_reasons']}"
    )
