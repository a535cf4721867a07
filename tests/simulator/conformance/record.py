"""record: runs the conformance programs on a GPU and keeps what they print.

    python tests/simulator/conformance/record.py [--programs DIR] [--output DIR] [--values COUNT]

One file a topic, data/TOPIC.txt: comments that name device, driver, compiler and date, then the
program's lines. Programs are built with nvcc unless DIR holds them already. --values writes instead
the first COUNT results of each function, to find the input on which two digests differ. Uses the
standard library only.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Warnings are errors: a program that nvcc doubts says nothing about CUDA.
NVCC = ["nvcc", "-std=c++17", "--Werror", "all-warnings"]


def topics() -> list[str]:
    """The names of the programs: one .cu file each."""
    return sorted(path.stem for path in HERE.glob("*.cu"))


def build(topic: str, folder: Path, architecture: str) -> Path:
    """Compiles one program for the GPU; returns the executable.

    Raises CalledProcessError where nvcc refuses it.
    """
    program = folder / topic
    source = HERE / f"{topic}.cu"
    subprocess.run([*NVCC, f"-arch={architecture}", str(source), "-o", str(program)], check=True)
    return program


def header() -> list[str]:
    """Comment lines: on what, with what and when the results were made."""
    query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    device, driver = subprocess.check_output(query, text=True).splitlines()[0].split(", ")
    version = subprocess.check_output(["nvcc", "--version"], text=True)
    release = re.search(r"release [\d.]+, V([\d.]+)", version)
    return [
        "# Printed by this folder's program of the same name on a GPU; see record.py.",
        f"# device: {device}",
        f"# driver: {driver}",
        f"# nvcc: {release.group(1) if release else 'unknown'}",
        f"# date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, help="folder of programs built before")
    parser.add_argument("--output", type=Path, default=HERE / "data")
    parser.add_argument("--values", type=int, default=0, metavar="COUNT")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    lines = header()
    failed = []
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        if options.programs is None:
            programs = list(pool.map(lambda topic: build(topic, Path(scratch), "native"), topics()))
        else:
            programs = [options.programs.resolve() / topic for topic in topics()]
        for program in programs:
            arguments = ["values", str(options.values)] if options.values else []
            done = subprocess.run(
                [str(program), *arguments], capture_output=True, text=True, timeout=60, check=False
            )
            if done.returncode != 0:
                failed.append(program.name)
                print(f"{program.name}: exit {done.returncode}: {done.stdout[-300:]}{done.stderr}")
                continue
            kept = "\n".join([*lines, *(line.rstrip() for line in done.stdout.splitlines())])
            (options.output / f"{program.name}.txt").write_text(kept + "\n")
            print(f"{program.name}: {len(done.stdout.splitlines())} features")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
