"""oclgrind: runs a problem in Oclgrind, by its kernel runner: no OpenCL host program is needed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

import numpy as np

from camp.errors import CampError
from tests.compare_simulators.measure import Cost, run
from tests.compare_simulators.problems import Array, Problem
from tests.compare_simulators.simulators import KERNELS


class Oclgrind:
    """Bounds and barriers are always checked; `options` turn on more.

    It compiles and reads text at every start. What that takes is measured with --quick, which runs
    only the first and the last work-group, and taken off."""

    name = "Oclgrind"

    def __init__(self, checks: str, *options: str) -> None:
        self.checks = checks
        self.options = options

    def missing(self) -> str | None:
        return None if shutil.which("oclgrind-kernel") else "sudo apt install oclgrind"

    def version(self) -> str:
        told = subprocess.run(
            ["oclgrind-kernel", "--version"], capture_output=True, text=True, check=True
        ).stdout
        return " ".join(told.split()[:2])

    def run(
        self, problem: Problem, inputs: list[Array], cores: Collection[int], folder: Path
    ) -> tuple[Cost, Array]:
        description = folder / f"{problem.name}.sim"
        description.write_text(describe(problem, inputs), encoding="utf-8")
        command = ["oclgrind-kernel", "--num-threads", str(len(cores)), *self.options]
        quick = run([*command, "--quick", description], cores, folder=folder)
        whole = run([*command, description], cores, folder=folder)
        if whole.errors.strip():
            raise CampError(f"Oclgrind reports: {whole.errors.strip()[:500]}")
        return without_start(whole.cost, quick.cost, problem.blocks), dumped(whole.output, problem)


def without_start(whole: Cost, quick: Cost, blocks: int) -> Cost:
    """What all blocks take, given a run of all and one of two of them: the start is in both."""
    if blocks <= 2:
        raise ValueError("the difference needs more than two blocks")
    return whole.less(quick).times(blocks / (blocks - 2))


def describe(problem: Problem, inputs: list[Array]) -> str:
    """A problem as oclgrind-kernel reads it: file, kernel, sizes, then each argument."""
    (grid_x, grid_y), (x, y) = problem.grid, problem.block
    rows, columns = problem.output_shape
    lines = [str(KERNELS / f"{problem.name}.cl"), f"{problem.name}_kernel"]
    lines += [f"{grid_x * x} {grid_y * y} 1", f"{x} {y} 1"]
    lines.append(f"<size={4 * rows * columns} float fill=0 dump>")
    for array in inputs:
        lines.append(f"<size={array.nbytes} float>")
        lines += [f"{value:.9g}" for value in array.flat]
    for size in problem.sizes[1:]:
        lines += ["<size=4 int>", str(size)]
    return "\n".join(lines) + "\n"


def dumped(output: str, problem: Problem) -> Array:
    """The values of a buffer that oclgrind-kernel printed, as ` name[i] = value`."""
    values = re.findall(r"^\s*\w+\[\d+\] = (\S+)$", output, re.MULTILINE)
    rows, columns = problem.output_shape
    if len(values) != rows * columns:
        raise CampError(f"Oclgrind printed {len(values)} values instead of {rows * columns}")
    return np.array(values, np.float32).reshape(rows, columns)
