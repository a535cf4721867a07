"""compare_simulators: Camp's simulator beside Oclgrind and Numba's, on the same two kernels.

    python tests/compare_simulators [--sizes quick|full] [--rounds N] [--markdown PAGE]

A peer that is not installed is skipped with the command that installs it. quick takes about half a
minute and is a rough look; full takes about five. Exit codes are those of `camp`: 0 when
everything ran and every value was right, whether or not the goals are reached.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from camp.build import ensure_built  # noqa: E402
from camp.cli.table import show_table  # noqa: E402
from camp.cli.terminal import Terminal  # noqa: E402
from camp.errors import CampError  # noqa: E402
from camp.workspace import Workspace  # noqa: E402
from tests.compare_simulators import comparison, report  # noqa: E402
from tests.compare_simulators.oclgrind import Oclgrind  # noqa: E402
from tests.compare_simulators.simulators import KERNELS, Camp, Numba, Simulator  # noqa: E402
from tests.simulator.harness import compile_program  # noqa: E402

# Thread blocks of softmax and of gemm that each simulator is given.
BLOCKS = {
    "quick": {"Camp": (512, 32), "Oclgrind": (10, 4), "Numba": (1, 1)},
    "full": {"Camp": (4096, 256), "Oclgrind": (66, 10), "Numba": (4, 2)},
}
OUR_REPEATS = 3
ROUNDS = {"quick": 1, "full": 5}


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def build(folder: Path) -> dict[str, Path]:
    """Our two programs, against this clone's simulator."""
    workspace = Workspace(ROOT)
    ensure_built(workspace, "sim", ["relu"])
    runtime = workspace.library("sim", "camp_runtime")
    names = ("softmax", "gemm")
    return {name: compile_program(KERNELS / f"{name}.cu", runtime, folder) for name in names}


def entrants(camp: Camp, sizes: str) -> list[comparison.Entrant]:
    simulators: list[Simulator] = [
        camp,
        Oclgrind("bounds"),
        Oclgrind("bounds, races", "--data-races", "--uniform-writes"),
        Oclgrind("all", "--data-races", "--uniform-writes", "--uninitialized"),
        Numba(),
    ]
    here = []
    for simulator in simulators:
        install = simulator.missing()
        if install is None:
            softmax, gemm = BLOCKS[sizes][simulator.name]
            blocks = {"softmax": softmax, "gemm": gemm}
            repeats = OUR_REPEATS if simulator is camp else 1
            here.append(comparison.Entrant(simulator, blocks, repeats))
        else:
            say(f"{simulator.name} ({simulator.checks}): skipped, not installed: `{install}`")
    return here


def whole_peers(here: list[comparison.Entrant]) -> list[comparison.Entrant]:
    """Without Oclgrind's runs of fewer checks."""
    return [e for e in here if e.simulator.checks.startswith(("all", "none"))]


def measure(sizes: str, rounds: int, folder: Path) -> tuple[str, list[report.Table]]:
    """The line that names the machine, and the tables."""
    camp = Camp(build(folder))
    taking_part = entrants(camp, sizes)
    cores = sorted(os.sched_getaffinity(0))
    rows = comparison.compare(taking_part, rounds, cores[-1:], folder, say)
    tables = [report.comparison_table(rows, 1)]
    if len(cores) > 1:
        with_all = comparison.compare(whole_peers(taking_part), rounds, cores, folder, say)
        tables.append(report.comparison_table(with_all, len(cores)))
    scaling = comparison.scale(taking_part[0], rounds, cores, folder, say)
    shadow = comparison.shadow_per_byte(camp, cores[-1], folder)
    versions = list(dict.fromkeys(entrant.simulator.version() for entrant in taking_part))
    tables += [report.scaling_table(scaling), report.goals_table(rows, scaling, shadow)]
    return report.machine(versions), tables


def show(machine: str, tables: Sequence[report.Table]) -> None:
    terminal = Terminal(sys.stdout)
    terminal.say(machine)
    for table in tables:
        terminal.raw()
        terminal.say(table.title)
        show_table(terminal, table.headings, table.rows, right=table.headings[table.left :])


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", choices=sorted(BLOCKS), default="full")
    parser.add_argument("--rounds", type=positive, help="how often each simulator runs each kernel")
    parser.add_argument(
        "--markdown", type=Path, metavar="PAGE", help="the page to bring up to date"
    )
    options = parser.parse_args()
    rounds = options.rounds or ROUNDS[options.sizes]
    try:
        # Read first: a wrong page should not cost the measurement.
        page = options.markdown.read_text(encoding="utf-8") if options.markdown else None
        if page is not None:
            report.page_with(page, "")
        with tempfile.TemporaryDirectory() as folder:
            machine, tables = measure(options.sizes, rounds, Path(folder))
        show(machine, tables)
        if page is not None:
            measured = "\n".join([machine + "\n", *(table.markdown() for table in tables)])
            options.markdown.write_text(report.page_with(page, measured), encoding="utf-8")
    except CampError as error:
        say(f"error: {error.message}" + (f"\n  {error.hint}" if error.hint else ""))
        return error.exit_code
    except OSError as error:
        say(f"error: {error}")
        return 4
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
