"""simulator.blocks: how many lanes of a warp were active at a line, from the branches of a library
compiled for counting.

The simulator reports basic blocks: stretches of code that control flow enters at the top. The
compiler moves instructions between lines, so a line's count is that of the block with most of it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camp.simulator.symbolize import Place, symbolize

_ENTRY = "<__sanitizer_cov_trace_pc"
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\t(\S+)\s*(.*)")
_ENDS = {"ret", "retq", "jmp", "jmpq", "b", "br"}
# Of a function's frame rather than of a line; with the hooks' calls, all that an empty block has.
_FRAME = {"push", "pop", "leave", "nop", "nopw", "nopl", "ldp", "stp"}
_SECONDS = 30

Line = tuple[str, int]


@dataclass(frozen=True)
class ActiveLanes:
    """At one line: executions by a warp, lanes active in all of them, executions by all lanes."""

    executions: int
    lanes: int
    full_executions: int

    @property
    def mean(self) -> float:
        """Active lanes an execution, up to 32."""
        return self.lanes / self.executions if self.executions else 0.0


def active_lanes(branches: Sequence[Mapping[str, Any]]) -> dict[Line, ActiveLanes]:
    """(file, line) -> lanes, from `branches` of one launch in the simulator's report.

    Without objdump or addr2line, and for a report of a plain library, the answer is empty.
    """
    best: dict[Line, tuple[int, int, ActiveLanes]] = {}
    by_module: dict[Path, list[Mapping[str, Any]]] = {}
    for branch in branches:
        site = branch.get("site") or {}
        if "module" in site:
            by_module.setdefault(Path(site["module"]), []).append(branch)
    for module, entries in by_module.items():
        lines = block_lines(module, [int(entry["site"]["offset"]) for entry in entries])
        for entry in entries:
            found = ActiveLanes(entry["executions"], entry["lanes"], entry["full_executions"])
            for line, instructions in lines.get(int(entry["site"]["offset"]), {}).items():
                key = (instructions * found.executions, -found.lanes, found)
                if line not in best or key[:2] > best[line][:2]:
                    best[line] = key
    return {line: found for line, (_, _, found) in best.items()}


def block_lines(module: Path, offsets: Iterable[int]) -> dict[int, Counter[Line]]:
    """Offset of a block's entry -> its lines with their numbers of instructions."""
    return {
        offset: Counter((place.file, place.line) for place in places)
        for offset, places in block_places(module, offsets).items()
    }


def block_places(module: Path, offsets: Iterable[int]) -> dict[int, list[Place]]:
    """Offset of a block's entry -> the place of each of its instructions that has one."""
    blocks = {
        offset: addresses
        for offset, addresses in _blocks(_disassemble(module)).items()
        if offset in set(offsets)
    }
    wanted = sorted({address for addresses in blocks.values() for address in addresses})
    places = dict(zip(wanted, symbolize([(module, address) for address in wanted]), strict=True))
    return {
        offset: [place for address in addresses if (place := places[address]) is not None]
        for offset, addresses in blocks.items()
    }


def _disassemble(module: Path) -> str:
    program = shutil.which("objdump")
    if program is None:
        return ""
    command = [program, "-d", "--no-show-raw-insn", str(module)]
    try:
        result = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return result.stdout.decode(errors="replace")


def _blocks(disassembly: str) -> dict[int, list[int]]:
    """Offset that the report has for a block's entry -> addresses of the block's instructions."""
    blocks: dict[int, list[int]] = {}
    current: list[int] | None = None
    entered = False
    for text in disassembly.splitlines():
        match = _INSTRUCTION.match(text)
        if match is None:
            current, entered = None, False
            continue
        address, name, operands = int(match[1], 16), match[2], match[3]
        if entered:  # the report names the last byte of the call
            current = blocks.setdefault(address - 1, [])
        entered = _ENTRY in operands
        if name in _ENDS or entered:
            current = None
        elif current is not None and name not in _FRAME and "<__tsan_func_" not in operands:
            current.append(address)
    return blocks
