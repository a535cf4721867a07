"""shrink: fewer statements that still show a difference."""

from __future__ import annotations

import copy
from pathlib import Path

from tests.simulator.fuzz.emit import program
from tests.simulator.fuzz.interpret import interpret
from tests.simulator.fuzz.language import If, Kernel, Loop, Statement
from tests.simulator.fuzz.run import Crash, check_batch, compile_batch

ATTEMPTS = 120


def bodies(statements: list[Statement]) -> list[list[Statement]]:
    """Every list of statements in the tree, outermost first."""
    found = [statements]
    for s in statements:
        if isinstance(s, If):
            found += bodies(s.then) + bodies(s.otherwise)
        elif isinstance(s, Loop):
            found += bodies(s.body)
    return found


def smaller(kernel: Kernel) -> list[Kernel]:
    """Kernels with a stretch of statements left out, the longest stretches first."""
    made = []
    lengths = [len(body) for body in bodies(kernel.body)]
    for which, length in enumerate(lengths):
        size = max(1, length // 2)
        while size >= 1:
            for at in range(0, length, size):
                candidate = copy.deepcopy(kernel)
                del bodies(candidate.body)[which][at : at + size]
                made.append((size, candidate))
            size //= 2
    made.sort(key=lambda pair: -pair[0])
    return [candidate for _, candidate in made]


def differs(kernel: Kernel, runtime: Path, folder: Path, attempt: int) -> bool:
    batch = compile_batch([kernel], runtime, folder, f"shrink_{attempt}")
    try:
        return bool(check_batch(batch, [interpret(kernel)]))
    except Crash:
        return True


def shrink(kernel: Kernel, runtime: Path, folder: Path) -> str:
    """The source of a small kernel that still differs."""
    attempts = 0
    progress = True
    while progress and attempts < ATTEMPTS:
        progress = False
        for candidate in smaller(kernel):
            attempts += 1
            if differs(candidate, runtime, folder, attempts):
                kernel, progress = candidate, True
                break
            if attempts >= ATTEMPTS:
                break
    return program([kernel])[0]
