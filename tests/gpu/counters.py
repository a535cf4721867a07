"""counters: what a GPU counts for the kernels of tests/simulator/counters/kernels, under Nsight
Compute, as the data file that the simulator is held to.

    python tests/gpu/counters.py [--output FILE] [--arch ARCH] [--nvcc NVCC] [--ncu NCU]

Reading the counters needs root, or a driver that lets everyone read them. No clock is touched.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/simulator/counters/kernels"
DATA = ROOT / "tests/simulator/counters/measured.json"

# Counter -> the metrics whose sum it is. A global atomic is an ATOM, or a RED where its result is
# not used; the two are counted apart.
_T = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_SHARED = {
    "wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
    "conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum",
}
METRICS: dict[str, list[str]] = {
    **{
        f"global_{name}_{unit}": [_T.format(unit, op) for op in ops]
        for name, ops in {"load": ["ld"], "store": ["st"], "atomic": ["atom", "red"]}.items()
        for unit in ("requests", "sectors")
    },
    **{
        f"shared_{name}_{unit}": [metric.format(op)]
        for name, op in {"load": "ld", "store": "st", "atomic": "atom"}.items()
        for unit, metric in _SHARED.items()
    },
}
# Now and then other traffic of a multiprocessor adds a wavefront: the least of some runs counts.
RUNS = 3

Table = list[dict[str, str]]
Row = Counter[str]


def compile_programs(nvcc: str, arch: str, folder: Path) -> list[Path]:
    """Every program of the folder, built for `arch`."""

    def build(source: Path) -> Path:
        program = folder / source.stem
        flags = ["-std=c++17", "-O3", "-lineinfo", "--expt-relaxed-constexpr", f"-arch={arch}"]
        includes = [f"-I{ROOT / path}" for path in ("native/include", "ops")]
        subprocess.run([nvcc, *flags, *includes, str(source), "-o", str(program)], check=True)
        return program

    with ThreadPoolExecutor() as pool:
        return list(pool.map(build, sorted(KERNELS.glob("*.cu"))))


def measure(ncu: str, program: Path) -> dict[str, Row]:
    """Runs a program under the profiler; row -> counters, without those that are 0."""
    metrics = [name for names in METRICS.values() for name in names]
    runs = []
    for _ in range(RUNS):
        output, log = _profile(ncu, program, "raw", "--print-units", "base",
                               "--metrics", ",".join(metrics))  # fmt: skip
        runs.append(rows_of(output, [traffic_of(kernel) for kernel in raw_tables(log)]))
    output, log = _profile(ncu, program, "source", "--section", "SourceCounters",
                           "--print-source", "sass")  # fmt: skip
    launches = sum(count for _, count in told_rows(output))
    lanes = rows_of(output, [lanes_of(table) for table in source_tables(log, launches)])
    return {
        name: Row({key: min(run[name][key] for run in runs) for key in row}) + lanes[name]
        for name, row in runs[0].items()
    }


def _profile(ncu: str, program: Path, page: str, *options: str) -> tuple[str, str]:
    """What the program printed, and the profiler's page as CSV."""
    log = program.with_suffix(".csv")
    command = [ncu, "--csv", "--page", page, "--clock-control", "none", *options,
               "--log-file", str(log), str(program)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    text = log.read_text() if log.exists() else ""
    if done.returncode != 0:
        raise SystemExit(f"{program.name}: ncu failed:\n{done.stdout}{done.stderr}{text}")
    return done.stdout, text


def told_rows(output: str) -> Iterator[tuple[str, int]]:
    """(row, kernels launched) from what a program printed."""
    for line in output.splitlines():
        match = re.fullmatch(r"(\w+) (\d+)", line.strip())
        if match:
            yield match[1], int(match[2])


def rows_of(output: str, kernels: Sequence[Row]) -> dict[str, Row]:
    """Adds up the kernels of each row; they come in the order of launch."""
    rows: dict[str, Row] = {}
    begin = 0
    for name, count in told_rows(output):
        rows[name] = sum(kernels[begin : begin + count], Row())
        begin += count
    if begin != len(kernels):
        raise SystemExit(f"the program told of {begin} kernels, the profiler of {len(kernels)}")
    return rows


def raw_tables(log: str) -> Table:
    """The raw page: metric -> text for every kernel."""
    lines = log.splitlines()
    header = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
    # The line below the header has the units.
    return [kernel for kernel in csv.DictReader(lines[header:]) if kernel["ID"]]


def traffic_of(kernel: dict[str, str]) -> Row:
    """The counters of METRICS."""
    return Row(
        {
            counter: sum(_number(kernel[metric]) for metric in metrics)
            for counter, metrics in METRICS.items()
        }
    )


def source_tables(log: str, launches: int) -> list[Table]:
    """The source page: for every kernel, the columns of its instructions.

    The profiler may print a kernel's table more than once, one after the other.
    """
    tables: list[Table] = []
    header: list[str] = []
    for line in csv.reader(log.splitlines()):
        if line and line[0] == "Kernel Name":
            tables.append([])
        elif line and line[0] == "Address":
            header = line
        elif tables and line and line[0].startswith("0x"):
            tables[-1].append(dict(zip(header, line, strict=False)))
    times, rest = divmod(len(tables), launches)
    if rest:
        raise SystemExit(f"{len(tables)} tables of instructions for {launches} kernels")
    return tables[::times]


def lanes_of(table: Table) -> Row:
    """Active lanes, summed over the executions of each kind of memory instruction."""
    lanes = Row()
    for instruction in table:
        space = instruction.get("Address Space", "-").lower()
        # A RED has no operation of its own; where a kernel has no other, the column is left out.
        operation = instruction.get("Access Operation", "-").lower().replace("-", "atomic")
        if space in ("global", "shared"):
            active = _number(instruction["Predicated-On Thread Instructions Executed"])
            lanes[f"{space}_{operation}_lanes"] += active
    return lanes


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _first(command: list[str], pattern: str) -> str:
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    match = re.search(pattern, output)
    return match[1] if match else "?"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=DATA)
    parser.add_argument("--arch", default="native")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--ncu", default="ncu")
    options = parser.parse_args()
    query = ["nvidia-smi", "--format=csv,noheader", "--id=0"]
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as folder:
        for program in compile_programs(options.nvcc, options.arch, Path(folder)):
            rows |= measure(options.ncu, program)
    conditions = {
        "device": _first([*query, "--query-gpu=name"], r"(.+)"),
        "driver": _first([*query, "--query-gpu=driver_version"], r"(.+)"),
        "nvcc": _first([options.nvcc, "--version"], r"V([\d.]+)"),
        "ncu": _first([options.ncu, "--version"], r"Version ([\d.]+)"),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in conditions.items()]
    told = [f"    {json.dumps(name)}: {json.dumps(dict(+row))}" for name, row in rows.items()]
    text = "\n".join(["{", *lines, '  "rows": {', ",\n".join(told), "  }", "}"])
    options.output.write_text(text + "\n")
    print(f"{len(rows)} rows on {conditions['device']} in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
