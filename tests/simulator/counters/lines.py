"""lines: a report's counts under the names that a program gives its lines: `// count: name`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from camp.simulator.symbolize import symbolize

_MARK = re.compile(r"// count: (\w+)\s*\Z")


def marked_lines(source: Path) -> dict[int, str]:
    """Line number -> name."""
    lines = enumerate(source.read_text().splitlines(), start=1)
    return {number: match[1] for number, text in lines if (match := _MARK.search(text))}


def _on_marked_lines(
    source: Path, entries: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    marks = marked_lines(source)
    by_counter = [entry for entry in entries if "file" not in entry["site"]]
    places = symbolize([(Path(e["site"]["module"]), e["site"]["offset"]) for e in by_counter])
    found = {id(entry): place for entry, place in zip(by_counter, places, strict=True)}
    for entry in entries:
        place = found.get(id(entry))
        file = place.file if place else entry["site"].get("file", "")
        line = place.line if place else entry["site"].get("line", 0)
        if Path(file).name == source.name and line in marks:
            yield marks[line], entry


def traffic_by_line(
    source: Path, sites: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], Counter[str]]:
    """A launch's sites on marked lines, added up: (name of the line, kind) -> counts."""
    sums: dict[tuple[str, str], Counter[str]] = {}
    for name, site in _on_marked_lines(source, sites):
        numbers = {key: value for key, value in site.items() if key not in ("site", "kind")}
        sums.setdefault((name, site["kind"]), Counter()).update(numbers)
    return sums
