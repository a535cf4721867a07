"""comparison: the measurements, interleaved, so that a slow spell of the machine meets everyone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from camp.errors import CampError
from tests.compare_simulators.measure import Cost
from tests.compare_simulators.problems import GEMM, SOFTMAX, Problem
from tests.compare_simulators.simulators import Camp, Simulator

Say = Callable[[str], None]


@dataclass(frozen=True)
class Entrant:
    """A simulator, how many blocks of each problem it is given, and how often it runs in a round:
    one that is done in a second needs more runs than one that takes long, to be as steady."""

    simulator: Simulator
    blocks: dict[str, int]
    repeats: int = 1


def middle(costs: Sequence[Cost]) -> Cost:
    """The median of each time."""
    return Cost(median(cost.wall_s for cost in costs), median(cost.cpu_s for cost in costs))


@dataclass(frozen=True)
class Row:
    """One simulator on one problem: what the whole problem takes, once for each round."""

    problem: Problem
    simulator: str
    checks: str
    blocks_run: int
    costs: tuple[Cost, ...]

    @property
    def cost(self) -> Cost:
        return middle(self.costs)

    @property
    def ns_per_access(self) -> float:
        return 1e9 * self.cost.cpu_s / self.problem.accesses

    def times_slower(self, other: Row, *, by_clock: bool = False) -> float:
        """The median, over the rounds, of this one's time over the other's in the same round."""
        pairs = zip(self.costs, other.costs, strict=True)
        if by_clock:
            return median(mine.wall_s / theirs.wall_s for mine, theirs in pairs)
        return median(mine.cpu_s / theirs.cpu_s for mine, theirs in pairs)


@dataclass(frozen=True)
class Scaling:
    """Ours on `cores` cores."""

    problem: Problem
    cores: int
    cost: Cost

    @property
    def undisturbed(self) -> bool:
        """Whether the cores were free for it."""
        return self.cost.waited_s <= 0.05 * self.cost.cpu_s


def run_part(
    entrant: Entrant, problem: Problem, cores: Collection[int], folder: Path
) -> tuple[Cost, int]:
    """The cost of the whole problem, from that of the entrant's part, and the blocks of the part.
    Raises CampError when a value is wrong."""
    part = problem.some(entrant.blocks[problem.name])
    inputs = part.inputs()
    cost, output = entrant.simulator.run(part, inputs, cores, folder)
    if not part.is_right(output, inputs):
        raise CampError(f"{entrant.simulator.name} computes wrong values of {problem.name}")
    return cost.times(problem.blocks / part.blocks), part.blocks


def compare(
    entrants: Sequence[Entrant], rounds: int, cores: Collection[int], folder: Path, say: Say
) -> list[Row]:
    """Every entrant on every problem, each alone on `cores`, `rounds` times in turn."""
    costs: dict[tuple[Problem, int], list[Cost]] = {}
    blocks: dict[tuple[Problem, int], int] = {}
    for number in range(rounds):
        for problem in (SOFTMAX, GEMM):
            for place, entrant in enumerate(entrants):
                simulator = entrant.simulator
                say(
                    f"round {number + 1} of {rounds}, cores {len(cores)}: {problem.name}, "
                    f"{simulator.name} ({simulator.checks})"
                )
                ran = [run_part(entrant, problem, cores, folder) for _ in range(entrant.repeats)]
                costs.setdefault((problem, place), []).append(middle([cost for cost, _ in ran]))
                blocks[problem, place] = ran[0][1]
    return [
        Row(
            problem,
            entrants[place].simulator.name,
            entrants[place].simulator.checks,
            blocks[problem, place],
            tuple(measured),
        )
        for (problem, place), measured in costs.items()
    ]


def core_counts(available: int) -> list[int]:
    """1, 2, 4 and so on, and all of them."""
    counts = []
    count = 1
    while count < available:
        counts.append(count)
        count *= 2
    return [*counts, available]


def scale(
    entrant: Entrant, rounds: int, cores: Sequence[int], folder: Path, say: Say
) -> list[Scaling]:
    """One entrant on one core, two and more, in turn. The fastest of the rounds: a neighbour that
    takes a core away only ever adds."""
    best: dict[tuple[Problem, int], Cost] = {}
    for number in range(rounds):
        for problem in (SOFTMAX, GEMM):
            for count in core_counts(len(cores)):
                say(f"round {number + 1} of {rounds}, cores {count}: {problem.name}")
                cost, _ = run_part(entrant, problem, set(cores[:count]), folder)
                known = best.get((problem, count), cost)
                best[problem, count] = min(known, cost, key=lambda c: c.wall_s)
    return [Scaling(problem, count, cost) for (problem, count), cost in best.items()]


def shadow_per_byte(camp: Camp, core: int, folder: Path) -> float:
    """Bytes that ours keeps for a byte of tensors: how the peak grows from a small softmax to the
    whole one, less the tensors themselves."""
    small, large = SOFTMAX.some(64), SOFTMAX
    peaks = [camp.run(size, size.inputs(), {core}, folder)[0].peak_bytes for size in (small, large)]
    data = [2 * 4 * rows * columns for rows, columns in (small.sizes, large.sizes)]
    return (peaks[1] - peaks[0]) / (data[1] - data[0]) - 1
