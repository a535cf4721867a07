"""simulators: what a compared simulator offers, and two of them, Camp and Numba. The third is in
oclgrind.py."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Collection
from importlib import metadata
from pathlib import Path
from typing import Protocol

import numpy as np

from camp.errors import CampError
from tests.compare_simulators.measure import Cost, parse_cost, run
from tests.compare_simulators.problems import Array, Problem

KERNELS = Path(__file__).resolve().parent / "kernels"


class Simulator(Protocol):
    """name, the checks that are on, and the version for the table's footing."""

    name: str
    checks: str

    def missing(self) -> str | None:
        """How to install it, or None where it is here."""

    def version(self) -> str: ...

    def run(
        self, problem: Problem, inputs: list[Array], cores: Collection[int], folder: Path
    ) -> tuple[Cost, Array]:
        """What the launch took, and the output. Raises CampError when the simulator fails or finds
        a fault in these correct kernels."""


def write_inputs(inputs: list[Array], folder: Path) -> list[Path]:
    files = [folder / f"input{number}.bin" for number in range(len(inputs))]
    for array, file in zip(inputs, files, strict=True):
        array.tofile(file)
    return files


def read_output(file: Path, problem: Problem) -> Array:
    return np.fromfile(file, np.float32).reshape(problem.output_shape)


class Camp:
    """Ours: programs built against libcamp_runtime.so; one host thread for each core given."""

    name = "Camp"
    checks = "all, and counts"

    def __init__(self, programs: dict[str, Path]) -> None:
        self.programs = programs

    def missing(self) -> str | None:
        return None

    def version(self) -> str:
        return f"Camp {metadata.version('camp')}"

    def run(
        self, problem: Problem, inputs: list[Array], cores: Collection[int], folder: Path
    ) -> tuple[Cost, Array]:
        output = folder / "output.bin"
        numbers = [str(number) for number in (len(cores), *problem.sizes)]
        command = [self.programs[problem.name], *write_inputs(inputs, folder), output, *numbers]
        cost, report = run(command, cores, folder=folder).output.splitlines()
        faults = json.loads(report)["faults"]
        if faults:
            raise CampError(f"Camp reports a fault of {problem.name}: {faults[0]['message']}")
        return parse_cost(cost), read_output(output, problem)


class Numba:
    """Numba's CUDA simulator: each CUDA thread a Python thread. It checks nothing."""

    name = "Numba"
    checks = "none"

    def missing(self) -> str | None:
        return None if importlib.util.find_spec("numba") else "pip install numba"

    def version(self) -> str:
        python = ".".join(str(number) for number in sys.version_info[:2])
        return f"Numba {metadata.version('numba')} on Python {python}"

    def run(
        self, problem: Problem, inputs: list[Array], cores: Collection[int], folder: Path
    ) -> tuple[Cost, Array]:
        output = folder / "output.bin"
        command = [sys.executable, KERNELS / "numba_kernels.py", problem.name]
        command += [*write_inputs(inputs, folder), output, *(str(size) for size in problem.sizes)]
        environment = {"NUMBA_ENABLE_CUDASIM": "1"}
        ran = run(command, cores, folder=folder, environment=environment)
        return parse_cost(ran.output), read_output(output, problem)
