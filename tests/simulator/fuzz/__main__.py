"""python -m tests.simulator.fuzz --seconds N --seed S [--kind correct|faulty] [--one SEED]

Generates kernels from seed S on, runs them on the simulator and in the interpreter, and compares.
A difference prints one line that repeats it, and with --shrink the smallest kernel that shows it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from camp.build import ensure_built
from camp.workspace import Workspace
from tests.simulator.fuzz.compare import clean
from tests.simulator.fuzz.generate import generate
from tests.simulator.fuzz.interpret import interpret
from tests.simulator.fuzz.run import Crash, check_batch, compile_batch
from tests.simulator.fuzz.shrink import shrink

ROOT = Path(__file__).resolve().parents[3]


def one_batch(seeds: range, faulty: bool, runtime: Path, folder: Path) -> tuple[int, list[str]]:
    """Kernels that break no rule, and the differences found."""
    kernels = [generate(seed, faulty) for seed in seeds]
    machines = [interpret(kernel) for kernel in kernels]
    batch = compile_batch(kernels, runtime, folder, f"batch_{seeds.start}")
    kind = "faulty" if faulty else "correct"
    words: dict[int, str] = {}
    try:
        for number, schedule, difference in check_batch(batch, machines):
            words.setdefault(number, f"schedule {schedule}: {difference}")
    except Crash as crash:
        return 0, [f"CRASH in {kind} {seeds.start}..{seeds.stop - 1}: {crash}"]
    lines = [
        f"DIFFERENCE python -m tests.simulator.fuzz --kind {kind} --one {seeds[number]}  # {text}"
        for number, text in words.items()
    ]
    return sum(map(clean, machines)), lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulator.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=40)
    parser.add_argument("--kind", choices=("correct", "faulty", "both"), default="both")
    parser.add_argument("--one", type=int, help="only this seed; needs --kind")
    parser.add_argument("--shrink", action="store_true", help="make a differing kernel small")
    arguments = parser.parse_args()
    workspace = Workspace(ROOT)
    ensure_built(workspace, "sim", ["relu"])
    runtime = workspace.build_dir("sim") / "libcamp_runtime.so"
    folder = Path(tempfile.mkdtemp(prefix="camp-fuzz-"))
    if arguments.one is not None:
        seed, faulty = arguments.one, arguments.kind == "faulty"
        _, lines = one_batch(range(seed, seed + 1), faulty, runtime, folder)
        print("\n".join(lines) or "no difference", f"\n{folder}/batch_{seed}.cu")
        if lines and arguments.shrink:
            print(shrink(generate(seed, faulty), runtime, folder))
        return 1 if lines else 0
    kinds = [arguments.kind == "faulty"] if arguments.kind != "both" else [False, True]
    begin, seed, found = time.monotonic(), arguments.seed, 0
    totals = {False: [0, 0], True: [0, 0]}
    while time.monotonic() - begin < arguments.seconds:
        for faulty in kinds:
            seeds = range(seed, seed + arguments.batch)
            right, lines = one_batch(seeds, faulty, runtime, folder)
            totals[faulty][0] += len(seeds)
            totals[faulty][1] += right
            found += len(lines)
            for line in lines:
                print(line, flush=True)
        seed += arguments.batch
    for faulty in kinds:
        count, right = totals[faulty]
        print(f"{'faulty' if faulty else 'correct'}: {count} kernels, {right} break no rule")
    print(f"{found} differences, seeds {arguments.seed}..{seed - 1}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
