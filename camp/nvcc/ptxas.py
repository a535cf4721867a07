"""nvcc.ptxas: reads what ptxas, the last stage of nvcc, says of kernels (`-Xptxas -v`)."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from camp.errors import Diagnostic
from camp.kernel_names import kernel_name
from camp.nvcc.report import KernelResources

# ptxas info    : Compiling entry function '_Z4copyIfEvPT_' for 'sm_90'
_ENTRY = re.compile(r"ptxas info\s*: Compiling entry function '([^']+)'")
# ptxas info    : Function properties for _Z4copyIfEvPT_
_PROPERTIES = re.compile(r"ptxas info\s*: Function properties for (\S+)")
#     592 bytes stack frame, 948 bytes spill stores, 1176 bytes spill loads
_STACK = re.compile(r"\s+(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill load")
# ptxas info    : Used 32 registers, used 1 barriers, 256 bytes smem
_USED = re.compile(r"ptxas info\s*: Used (\d+) registers")
_SHARED = re.compile(r"\b(\d+) bytes smem")
# ptxas error   : Entry function '_Z1kPf' uses too much shared data (0xcb20 bytes, 0xc000 max)
_QUOTED = re.compile(r"'(\w+)'")
_HEXADECIMAL = re.compile(r"\b0x([0-9a-f]+)\b")


def read_resources(output: str) -> tuple[KernelResources, ...]:
    """Every kernel in the output, ordered by name. Functions that are no kernels are left out."""
    found: dict[str, KernelResources] = {}
    entry = function = ""
    for line in output.splitlines():
        if match := _ENTRY.match(line):
            entry = function = match[1]
            found[entry] = KernelResources(kernel_name(entry), registers=0)
        elif match := _PROPERTIES.match(line):
            function = match[1]
        elif entry and function == entry and (match := _STACK.match(line)):
            stack, stores, loads = (int(number) for number in match.groups())
            found[entry] = replace(
                found[entry],
                stack_bytes=stack,
                spill_store_bytes=stores,
                spill_load_bytes=loads,
            )
        elif entry and (match := _USED.match(line)):
            shared = _SHARED.search(line)
            found[entry] = replace(
                found[entry],
                registers=int(match[1]),
                shared_bytes=int(shared[1]) if shared else 0,
            )
            entry = function = ""
    return tuple(sorted(found.values(), key=lambda kernel: kernel.name))


def readable(diagnostic: Diagnostic, kernel: Path) -> Diagnostic:
    """A message of ptxas in terms of the source: kernels by name and line, numbers in decimal."""
    if diagnostic.file != "ptxas":
        return diagnostic
    symbols = _QUOTED.findall(diagnostic.message)
    message = _QUOTED.sub(lambda match: kernel_name(match[1]), diagnostic.message)
    message = _HEXADECIMAL.sub(lambda match: f"{int(match[1], 16):,}", message)
    line = _line_of(kernel, kernel_name(symbols[0])) if symbols else 0
    return Diagnostic(str(kernel) if line else "ptxas", line, 0, message, diagnostic.severity)


def _line_of(path: Path, name: str) -> int:
    """The line on which a kernel's definition has its name; 0 when it is not found."""
    base = re.escape(name.split("<")[0].split("::")[-1])
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    match = re.search(rf"__global__[^;{{}}]*?\b({base})\s*\(", text)
    return text.count("\n", 0, match.start(1)) + 1 if match else 0
