"""judge: whether times are a measurement, and what must be said beside them.

Pure functions of what was sampled.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camp.bench.modes import two_modes
from camp.bench.plan import impossible
from camp.bench.results import CaseResult, Outcome, Timed
from camp.bench.statistics import Summary, summarize

TOO_NOISY_SPREAD = 0.20
ABOVE_CEILING = 1.02


def timed(found: Mapping[str, Any]) -> Timed | None:
    """Timings of one candidate as the worker told them; None where no sample counts."""
    samples = found["samples_us"]
    if not samples:
        return None
    return Timed(
        summarize(samples),
        found["calls_per_sample"],
        found["stop"],
        found["method"],
        sum(found["reasons"].values()),
        two_modes(samples),
    )


def judge(case: CaseResult, reasons: Mapping[str, int]) -> tuple[Outcome, str]:
    """The word on a case whose outputs are right, and a sentence where it is not OK.

    reasons: why samples of the kernel were discarded, and how many.
    """
    if case.kernel is None:
        return Outcome.THROTTLED, (
            f"all {sum(reasons.values())} samples were taken while the device throttled "
            f"({_listed(reasons)}): there is no time to report"
        )
    summary, peak = case.kernel.summary, case.datasheet_gbps
    if summary.median <= 0.0:
        return Outcome.INVALID_TIME, "the device reported that no time passed"
    if not case.hot:
        if peak is not None and impossible(case.case.minimum_bytes, summary.median, peak * 1e9):
            return Outcome.INVALID_TIME, (
                f"{summary.median:.1f} us is less than {case.case.minimum_bytes} bytes need at the "
                f"memory's {peak:.0f} GB/s: not all of the work was done in the timed calls"
            )
        if case.ceiling is not None and above(summary, case.ceiling.summary):
            return Outcome.INVALID_CEILING, (
                f"{case.percent_of_ceiling:.0f} % of the ceiling '{case.ceiling_kind}' measured "
                f"beside it ({case.ceiling.summary.median:.1f} us): that ceiling is none, which is "
                "a fault of Camp"
            )
    if summary.spread > TOO_NOISY_SPREAD:
        spread = f"{summary.spread:.0%} of the median"
        return Outcome.TOO_NOISY, f"the middle half of the samples spreads over {spread}"
    return Outcome.OK, ""


def above(summary: Summary, ceiling: Summary) -> bool:
    """Whether times beat their ceiling by more than 2 %, beyond the intervals p10..p90."""
    return summary.p90 * ABOVE_CEILING < ceiling.p10


def possible_peers(case: CaseResult) -> tuple[dict[str, Timed], list[str]]:
    """The peers whose times can be, and a sentence on each other."""
    found, notes = {}, []
    peak = case.datasheet_gbps
    for name, peer in case.peers.items():
        median = peer.summary.median
        too_short = peak is not None and impossible(case.case.minimum_bytes, median, peak * 1e9)
        if median <= 0.0 or (too_short and not case.hot):
            notes.append(f"{name} is left out: {median:.1f} us is shorter than its work can take")
        else:
            found[name] = peer
    return found, notes


def notes(case: CaseResult, answer: Mapping[str, Any]) -> list[str]:
    """What the numbers of a case need beside them; `answer` is the worker's."""
    found = list(answer["notes"])
    if case.datasheet_gbps is None:
        found.append("the driver names no memory clock: times were not held against physics")
    if not answer["clocks_known"]:
        found.append("the driver told no clocks: throttled samples were not left out")
    if answer["starved"]:
        found.append(f"samples in which the device waited for the host: {answer['starved']}")
    everything = {"the kernel": answer["kernel"], **answer["ceilings"], **answer["peers"]}
    for name, sampled in everything.items():
        if sampled["drift"]:
            found.append(
                f"{name}: the times still moved by {sampled['drift']:+.1%} when sampling ended"
            )
        if sampled["reasons"] and sampled["samples_us"]:
            found.append(
                f"{name}: {sum(sampled['reasons'].values())} samples were left out because the "
                f"device throttled ({_listed(sampled['reasons'])})"
            )
    known = {"the kernel": case.kernel, **case.ceilings, **case.peers}
    for name, times in known.items():
        if times is not None and times.modes:
            low, high = times.modes
            found.append(
                f"{name} has two times and no single one: {low.value:.2f} us ({low.share:.0%} of "
                f"the samples) and {high.value:.2f} us ({high.share:.0%})"
            )
    if case.ceiling is not None and not case.hot:
        for name, peer in case.peers.items():
            if above(peer.summary, case.ceiling.summary):
                found.append(
                    f"{name} is faster than the ceiling '{case.ceiling_kind}': shares of that "
                    "ceiling are too high"
                )
    return found


def _listed(reasons: Mapping[str, int]) -> str:
    return ", ".join(reasons)
