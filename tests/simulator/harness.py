"""harness: compiles a CUDA program for the simulator, runs it, and returns what it said and saw."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from camp.toolchain import require_cxx

ROOT = Path(__file__).resolve().parents[2]

# As in ops/cmake/sim.cmake, where each is explained.
FLAGS = [
    "-std=c++17",
    "-O1",
    "-gdwarf-4",
    "-fPIC",
    "-fno-plt",
    "-fno-tree-sra",
    "-fsanitize=thread,alignment,bounds,signed-integer-overflow",
    "--param=tsan-distinguish-volatile=1",
    "-DCAMP_SIM=1",
]


@dataclass(frozen=True)
class Outcome:
    """How a program ended."""

    code: int
    output: str
    faults: list[dict[str, Any]]
    launches: list[dict[str, Any]]


def compile_program(
    source: Path,
    runtime: Path,
    directory: Path,
    *defines: str,
    counted: bool = False,
    instrumented: bool = True,
) -> Path:
    """Translates and links `source` against libcamp_runtime.so; returns the executable.

    A `counted` one also reports the branches that warps took. Accesses of one that is not
    `instrumented` are neither checked nor counted, and it compiles in half the time.
    """
    name = "_".join([source.stem, *defines, *(["counted"] if counted else [])])
    translated = directory / name / f"{source.stem}.cc"
    includes = [str(ROOT / "native/sim/include"), str(ROOT / "native/include"), str(ROOT / "ops")]
    subprocess.run(
        [sys.executable, "-m", "camp.simulator.translate", str(source), "--output",
         str(translated), "--depfile", str(translated) + ".d", "--include-dir", str(ROOT / "ops")],
        check=True,
        cwd=ROOT,
    )  # fmt: skip
    program = directory / name / "program"
    compiler = str(require_cxx())
    objects = str(program) + ".o"
    flags = [*FLAGS, *(f"-D{define}" for define in defines), *(f"-I{path}" for path in includes)]
    flags += ["-fsanitize-coverage=trace-pc", "-fno-reorder-blocks"] if counted else []
    if not instrumented:
        flags = [flag for flag in flags if not flag.startswith(("-fsanitize", "-gdwarf"))]
    subprocess.run([compiler, *flags, "-c", str(translated), "-o", objects], check=True)
    # Linked without -fsanitize: the runtime has its own instrumentation functions.
    link = [compiler, objects, str(runtime), f"-Wl,-rpath,{runtime.parent}", "-o", str(program)]
    subprocess.run(link, check=True)
    return program


def run_program(program: Path, *arguments: str, timeout: float = 60) -> Outcome:
    """Runs the executable; its last line must be the simulator's report."""
    done = subprocess.run(
        [str(program), *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )
    lines = done.stdout.rstrip("\n").split("\n")
    try:
        report = json.loads(lines[-1])
    except json.JSONDecodeError:
        report = {"faults": [], "launches": []}
    return Outcome(done.returncode, done.stdout + done.stderr, report["faults"], report["launches"])
