"""agreement: the counters of a GPU beside those of the simulator, and the page that shows them.

python -m tests.simulator.counters.agreement      writes docs/hardware-agreement.md anew
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).resolve().parent
PAGE = FOLDER.parents[2] / "docs/hardware-agreement.md"
KINDS = (
    "global_load",
    "global_store",
    "global_atomic",
    "shared_load",
    "shared_store",
    "shared_atomic",
)
UNITS = {"global": ("requests", "lanes", "sectors"), "shared": ("lanes", "wavefronts", "conflicts")}

Row = Mapping[str, int]


@dataclass(frozen=True)
class Difference:
    """Counters of some rows that cannot agree, with the simulator's values."""

    rows: tuple[str, ...]
    reason: str
    simulated: Row


@dataclass(frozen=True)
class Measured:
    """What tests/gpu/counters.py found, and under which conditions."""

    conditions: dict[str, str]
    rows: dict[str, Row]


def load_measured() -> Measured:
    data = json.loads((FOLDER / "measured.json").read_text())
    return Measured({k: v for k, v in data.items() if k != "rows"}, data["rows"])


def load_differences() -> list[Difference]:
    data = tomllib.loads((FOLDER / "differences.toml").read_text())
    return [
        Difference(tuple(entry["rows"]), entry["reason"], entry["simulated"])
        for entry in data["difference"]
    ]


def expected_rows(measured: Measured, differences: list[Difference]) -> dict[str, Row]:
    """What the simulator must count: what was measured, but for the differences."""
    rows = {name: dict(row) for name, row in measured.rows.items()}
    for difference in differences:
        for name in difference.rows:
            rows[name].update(difference.simulated)
    return {name: {k: v for k, v in row.items() if v} for name, row in rows.items()}


def simulated_row(report: Mapping[str, Any]) -> Row:
    """The same counters from the simulator's report; those that are 0 are left out."""
    row: Counter[str] = Counter()
    for launch in report["launches"]:
        for site in launch["sites"]:
            kind = site["kind"]
            values = {**site, "conflicts": site["wavefronts"] - site["ideal_wavefronts"]}
            for unit in UNITS[kind.split("_")[0]]:
                row[f"{kind}_{unit}"] += values[unit]
    return +row


def programs() -> dict[str, list[str]]:
    """Program -> its rows, in the order of measurement."""
    measured = load_measured().rows
    found: dict[str, list[str]] = {}
    for source in sorted((FOLDER / "kernels").glob("*.cu")):
        text = source.read_text()
        named = set(re.findall(r"\bROW(?:_OF_TWO)?\(\s*(\w+)", text))
        elements = re.findall(r'PATTERNS\(\w+, "(\w+)"\)', text)
        patterns = re.findall(r'patterns<T>\(name "(\w+)"', text)
        named |= {element + pattern for element in elements for pattern in patterns}
        found[source.stem] = [row for row in measured if row in named]
    return found


def page_text() -> str:
    """docs/hardware-agreement.md."""
    measured, differences = load_measured(), load_differences()
    different = {name: i for i, d in enumerate(differences, 1) for name in d.rows}
    total, equal = len(measured.rows), len(measured.rows) - len(different)
    head = (FOLDER / "page_head.md").read_text()
    parts = [head.format(total=total, equal=equal, differ=len(different), **measured.conditions)]
    parts += ["## Differences", ""]
    parts += ["| | kernel | counter | GPU | simulator | why |", "|---|---|---|---|---|---|"]
    for number, difference in enumerate(differences, 1):
        for name in difference.rows:
            for counter, value in difference.simulated.items():
                words = counter.replace("_", " ")
                gpu = measured.rows[name].get(counter, 0)
                reason = difference.reason
                parts.append(f"| {number} | `{name}` | {words} | {gpu} | {value} | {reason} |")
    for program, rows in programs().items():
        parts += ["", f"## {program}.cu", "", *_table(rows, measured.rows, different)]
    return "\n".join(parts) + "\n"


def _table(names: list[str], rows: Mapping[str, Row], different: Mapping[str, int]) -> list[str]:
    used = [kind for kind in KINDS if any(_cell(rows[name], kind) for name in names)]
    header = [f"{kind.replace('_', ' ')}s: {' / '.join(_units(kind))}" for kind in used]
    lines = [f"| kernel | {' | '.join(header)} | |", "|---" * (len(used) + 2) + "|"]
    for name in names:
        cells = [_cell(rows[name], kind) for kind in used]
        mark = f"[{different[name]}](#differences)" if name in different else "="
        lines.append(f"| `{name}` | {' | '.join(cells)} | {mark} |")
    return lines


def _cell(row: Row, kind: str) -> str:
    values = [row.get(f"{kind}_{unit}", 0) for unit in _units(kind)]
    return " / ".join(map(str, values)) if any(values) else ""


def _units(kind: str) -> tuple[str, ...]:
    return UNITS[kind.split("_")[0]]


if __name__ == "__main__":
    PAGE.write_text(page_text())
