"""nvcc_view: what nvcc said of a kernel that was graded on the simulator."""

from __future__ import annotations

from camp.cli.excerpt import show_excerpt, shown_path
from camp.cli.terminal import Terminal
from camp.nvcc.report import COMPILED, REFUSED, KernelResources, NvccReport

_SHOWN_KERNELS = 3
_SHOWN_DIAGNOSTICS = 3
_SPILL_ADVICE = (
    "spilled values pass through memory at every use: keep fewer of them alive at once, or let "
    "__launch_bounds__ ask for fewer threads"
)


def show_nvcc(terminal: Terminal, report: NvccReport) -> None:
    """Prints the answer; a line when nothing is wrong."""
    label = f"nvcc for {report.architecture}: "
    if report.status == REFUSED:
        _refused(terminal, report)
    elif report.status != COMPILED:
        terminal.say(report.message, "dim", label=label, indent=2)
    elif report.spilling:
        _spilling(terminal, report)
    elif report.kernels:
        terminal.say(_summary(report.kernels), label=label, indent=2)


def _refused(terminal: Terminal, report: NvccReport) -> None:
    text = f"nvcc for {report.architecture} refuses what the simulator ran; a GPU's build fails"
    terminal.say(text, "yellow", label="warning: ", indent=2)
    for found in report.diagnostics[:_SHOWN_DIAGNOSTICS]:
        place = f"{shown_path(found.file)}:{found.line}" if found.line else found.file
        terminal.say(found.message, "yellow", label=f"{place}: ", indent=4)
        show_excerpt(terminal, found.file, found.line, indent=6)
    if len(report.diagnostics) > _SHOWN_DIAGNOSTICS:
        terminal.say(f"and {len(report.diagnostics) - _SHOWN_DIAGNOSTICS} more", indent=4)


def _spilling(terminal: Terminal, report: NvccReport) -> None:
    kernels = report.spilling
    for kernel in kernels[:_SHOWN_KERNELS]:
        text = f"nvcc for {report.architecture}: {kernel.name}: {kernel.registers} registers, "
        text += f"{kernel.spill_store_bytes:,} bytes of spill stores and "
        text += f"{kernel.spill_load_bytes:,} of spill loads a thread"
        terminal.say(text, "yellow", label="warning: ", indent=2)
    if len(kernels) > _SHOWN_KERNELS:
        terminal.say(f"and {len(kernels) - _SHOWN_KERNELS} more kernels that spill", indent=2)
    terminal.say(_SPILL_ADVICE, "cyan", label="advice: ", indent=2)


def _summary(kernels: tuple[KernelResources, ...]) -> str:
    """Of kernels without spills: what each takes, as a range when there are several."""
    registers = _range([kernel.registers for kernel in kernels])
    shared = _range([kernel.shared_bytes for kernel in kernels])
    stack = _range([kernel.stack_bytes for kernel in kernels])
    who = kernels[0].name if len(kernels) == 1 else f"{len(kernels)} kernels"
    parts = [f"{who}: {registers} registers"]
    parts.append("no shared memory" if shared == "0" else f"{shared} bytes of shared memory")
    if stack != "0":
        parts.append(f"{stack} bytes of local arrays in memory")
    return ", ".join([*parts, "no spills"])


def _range(values: list[int]) -> str:
    low, high = min(values), max(values)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
