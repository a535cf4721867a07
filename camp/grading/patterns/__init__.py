"""patterns: recognises how an output is wrong and says so in words, with one next step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from camp.grading.case import Problem
from camp.grading.compare import Comparison
from camp.grading.dtypes import Array
from camp.grading.oracle import Expectation, Softmax, Sum
from camp.grading.patterns.elements import element_findings
from camp.grading.patterns.finding import Finding, Output
from camp.grading.patterns.softmaxes import softmax_findings
from camp.grading.patterns.stored import unwritten_findings
from camp.grading.patterns.sums import sum_findings
from camp.grading.verdict import Verdict

__all__ = ["Finding", "Output", "explain"]

# Larger outputs are only located: looking for patterns would take many times their memory.
_MOST_ELEMENTS = 1 << 26

_GENERIC: dict[Verdict, str] = {
    Verdict.WRONG: "work the first wrong index through by hand: which thread stores it, from what?",
    Verdict.UNWRITTEN: "make every element belong to some thread: a grid-stride loop covers any n",
    Verdict.PRECISION: "accumulate in float and round once, at the store",
    Verdict.SPECIAL: "follow the NaN and infinity rules written at the top of the kernel file",
}


def explain(
    problem: Problem, name: str, expectation: Expectation, got: Array, outcome: Comparison
) -> Finding:
    """The best reading of a failed output `name`; its verdict may correct the outcome's."""
    output = Output(problem, name, expectation, got, outcome)
    for finder in _finders(expectation, outcome):
        for finding in finder(output):
            return finding
    return Finding("", _GENERIC.get(outcome.verdict, ""))


def _finders(
    expectation: Expectation, outcome: Comparison
) -> Iterator[Callable[[Output], Iterator[Finding]]]:
    if outcome.unwritten.any():
        yield unwritten_findings
        return
    if expectation.exact.size > _MOST_ELEMENTS:
        return
    if isinstance(expectation, Sum):
        yield sum_findings
    if isinstance(expectation, Softmax):
        yield softmax_findings
    yield element_findings
