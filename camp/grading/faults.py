"""faults: the simulator's report, read with suspicion (it comes from the worker), with its program
counters turned into lines of the learner's file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from camp.grading.verdict import Verdict, cause_rank


@dataclass(frozen=True)
class Location:
    """A line of source. `function` may be empty."""

    file: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


# (module, offset) pairs -> locations; what cannot be resolved is left out.
Symbolizer = Callable[[Sequence[tuple[str, int]]], Mapping[tuple[str, int], Location]]


@dataclass(frozen=True)
class Fault:
    """One entry of the report: the first of `count` alike."""

    kind: str
    verdict: Verdict
    is_error: bool
    message: str
    advice: str
    count: int
    location: Location | None
    other_location: Location | None
    raw: Mapping[str, Any]

    def to_json(self) -> dict[str, Any]:
        place, other = self.location, self.other_location
        return {
            "kind": self.kind,
            "verdict": self.verdict.value,
            "severity": "error" if self.is_error else "warning",
            "message": self.message,
            "advice": self.advice,
            "count": self.count,
            "file": place.file if place else None,
            "line": place.line if place else None,
            "other_file": other.file if other else None,
            "other_line": other.line if other else None,
            **{key: self.raw[key] for key in _PASSED_ON if key in self.raw},
        }


def thread_of(raw: Mapping[str, Any], prefix: str = "") -> str:
    """`thread 90 of block 2`, of a fault or (prefix "other_") of its other access; "" where no
    thread had a part in it, as in a launch that never ran. Indices have y and z where they count.
    """
    if raw.get("kind") == _OF_LAUNCHES:
        return ""
    words = [_axes(word, raw.get(prefix + word)) for word in ("thread", "block")]
    return " of ".join(word for word in words if word)


def sentence_of(fault: Fault) -> str:
    """The message, with how often it happened and which thread was the first."""
    first = thread_of(fault.raw)
    many = f"{fault.count} times, first " if fault.count > 1 and first else ""
    return f"{fault.message} ({many}{first})" if first else fault.message


def _axes(word: str, index: Any) -> str:
    if not isinstance(index, list) or not index:
        return ""
    return f"{word} {index[0]}" if not any(index[1:]) else f"{word} {tuple(index)}"


_OF_LAUNCHES = "launch_limit"
_PASSED_ON = ("kernel", "block", "thread", "other_block", "other_thread", "tensor", "space",
              "access", "bytes", "index", "elements")  # fmt: skip


@dataclass(frozen=True)
class Report:
    """Faults, causes first, and launches of one execute."""

    faults: tuple[Fault, ...] = ()
    launches: tuple[Mapping[str, Any], ...] = ()
    readable: bool = True
    sites: Mapping[tuple[str, int], Location] = field(default_factory=dict)

    @property
    def errors(self) -> list[Fault]:
        return [fault for fault in self.faults if fault.is_error]

    @property
    def warnings(self) -> list[Fault]:
        return [fault for fault in self.faults if not fault.is_error]


def read_report(text: str | None, symbolize: Symbolizer) -> Report:
    """Parses a report. One that does not follow the format gives `readable` False."""
    if text is None:
        return Report()
    try:
        raw = json.loads(text)
        faults = [fault for fault in raw["faults"] if isinstance(fault["message"], str)]
        launches = tuple(launch for launch in raw["launches"] if isinstance(launch, dict))
        wanted = [site for fault in faults for key in ("site", "other_site")
                  if (site := _program_counter(fault.get(key)))]  # fmt: skip
        lines = symbolize(wanted) if wanted else {}
        read = [_fault(fault, lines) for fault in faults]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Report(readable=False)
    read.sort(key=lambda fault: (not fault.is_error, cause_rank(fault.verdict)))
    return Report(tuple(read), launches, True, lines)


def _fault(raw: Mapping[str, Any], lines: Mapping[tuple[str, int], Location]) -> Fault:
    return Fault(
        kind=str(raw["kind"]),
        verdict=Verdict(raw["verdict"]),
        is_error=raw["severity"] != "warning",
        message=raw["message"],
        advice=str(raw.get("advice") or ""),
        count=int(raw.get("count", 1)),
        location=_locate(raw.get("site"), lines),
        other_location=_locate(raw.get("other_site"), lines),
        raw=raw,
    )


def _program_counter(site: Any) -> tuple[str, int] | None:
    if isinstance(site, dict) and "module" in site and "file" not in site:
        return str(site["module"]), int(site["offset"])
    return None


def _locate(site: Any, lines: Mapping[tuple[str, int], Location]) -> Location | None:
    counter = _program_counter(site)
    if counter is not None:
        return lines.get(counter)
    if isinstance(site, dict) and "file" in site:
        return Location(str(site["file"]), int(site["line"]))
    return None
