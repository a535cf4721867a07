"""roofline: one run in a picture: what bounds the operator, and how near each case is to it.

First the roofline: floating-point operations per second against arithmetic intensity (FLOP per
byte that has to be moved), under the memory's roofs and the one of float32 arithmetic. Beside or
below it every case on its own line: GB/s with p10..p90, its measured ceiling and the datasheet's.
An operator without arithmetic has the second half alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import cycle
from typing import Any

from camp.bench.plots import FAINT, INK, ROOF, SERIES, new_figure, style
from camp.bench.results import BenchResult, CaseResult, Outcome
from camp.bench.statistics import gigabytes_per_second

# float32 units of a multiprocessor by compute capability (CUDA C++ Programming Guide, arithmetic
# instructions); each does one fused multiply-add a clock.
_FLOAT_UNITS = {"7.0": 64, "7.5": 64, "8.0": 64, "8.6": 128, "8.9": 128, "9.0": 128}
_FLOAT_UNITS |= {"10.0": 128, "12.0": 128}
_ROW_INCHES, _ROOF_INCHES = 0.27, 3.9
_MOST_BESIDE = 16  # cases; of more, the list goes below the roofline


def roofline(result: BenchResult, flops_per_element: float, today: str | None = None) -> Any:
    """A matplotlib Figure of the valid cases; None without any. today: the date in the title."""
    cases = [
        case
        for case in result.cases
        if case.outcome is Outcome.OK and case.kernel and case.gbps is not None
    ]
    if not cases:
        return None
    both, beside = flops_per_element > 0, len(cases) <= _MOST_BESIDE
    lines = 2.1 + _ROW_INCHES * len(cases)
    with style():
        if both and beside:
            figure = new_figure(11.5, max(_ROOF_INCHES, lines))
            places = figure.subplots(1, 2)
        elif both:
            figure = new_figure(7.5, _ROOF_INCHES + lines)
            places = figure.subplots(2, 1, height_ratios=[_ROOF_INCHES, lines])
        else:
            figure = new_figure(7.5, lines)
            places = [figure.subplots()]
        title = f"{result.op} on {result.device.get('name', 'an unknown device')}"
        figure.suptitle(f"{title}, {today or _today()}{_driver(result)}", fontsize=11, color=INK)
        if both:
            _draw_roof(places[0], result, cases, flops_per_element)
        _draw_cases(places[-1], cases)
        # Of the figure, not of the axes: room is then made for it.
        where = "outside lower right" if both and beside else "outside lower center"
        figure.legend(*places[-1].get_legend_handles_labels(), loc=where, ncols=2)
    return figure


def _draw_roof(
    axes: Any, result: BenchResult, cases: Sequence[CaseResult], per_element: float
) -> None:
    """Points and roofs in GFLOP/s over FLOP per byte, both axes logarithmic."""
    points = [(case.case.flops(per_element) / case.case.minimum_bytes, case) for case in cases]
    memory = _memory_roofs(cases)
    peak = _float_peak_gflops(result)
    left = min(x for x, _ in points) / 4
    fastest = max(memory.values()) if memory else max(case.gbps or 0.0 for case in cases)
    ridge = peak / fastest if peak else 0.0
    right = max(max(x for x, _ in points) * 8, ridge * 4)
    for (name, gbps), line in zip(memory.items(), cycle(("--", "-", "-.", ":")), strict=False):
        end = min(right, peak / gbps) if peak else right
        color = FAINT if name == "datasheet" else ROOF
        label = f"{name}: {gbps:,.0f} GB/s"
        axes.plot([left, end], [left * gbps, end * gbps], line, color=color, lw=1.4, label=label)
    if peak:
        label = f"float32 at this clock: {peak / 1e3:,.1f} TFLOP/s"
        axes.plot([ridge, right], [peak, peak], "-", color=INK, lw=1.4, label=label)
    for dtype, (color, marker) in _series(cases).items():
        mine = [(x, case) for x, case in points if case.case.dtype == dtype]
        axes.plot(
            [x for x, _ in mine],
            [x * (case.gbps or 0.0) for x, case in mine],
            *(marker,),
            **_marker(color),
            label=dtype,
        )
    axes.set(xscale="log", yscale="log", xlim=(left, right))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("arithmetic intensity, FLOP per byte of the minimum")
    axes.set_ylabel("GFLOP/s")
    axes.set_title("Roofline: left of the ridge, the memory is the limit")
    axes.legend(loc="lower right")


def _draw_cases(axes: Any, cases: Sequence[CaseResult]) -> None:
    """A line a case, the first on top, with GB/s along it."""
    for dtype, (color, marker) in _series(cases).items():
        rows = [n for n, case in enumerate(cases) if case.case.dtype == dtype]
        medians = [cases[n].gbps or 0.0 for n in rows]
        spans = [_interval(cases[n]) for n in rows]
        below = [median - low for median, (low, _) in zip(medians, spans, strict=True)]
        above = [high - median for median, (_, high) in zip(medians, spans, strict=True)]
        axes.errorbar(
            medians,
            rows,
            xerr=[below, above],
            fmt=marker,
            ecolor=color,
            elinewidth=1.4,
            capsize=2.5,
            **_marker(color),
            label=f"{dtype}, median with p10..p90",
        )
    roofs = [(n, _ceiling_gbps(case)) for n, case in enumerate(cases)]
    known = [(n, gbps) for n, gbps in roofs if gbps is not None]
    axes.plot(
        [gbps for _, gbps in known],
        [n for n, _ in known],
        *("|",),
        color=ROOF,
        markersize=11,
        markeredgewidth=1.8,
        label="its measured ceiling",
    )
    peaks = sorted({case.datasheet_gbps for case in cases if case.datasheet_gbps})
    for peak in peaks:
        axes.axvline(peak, ls="--", color=FAINT, lw=1.2, label=f"datasheet: {peak:,.0f} GB/s")
    for n, case in enumerate(cases):
        if case.percent_of_ceiling is not None:
            text = f"{case.percent_of_ceiling:.0f} %"
            axes.annotate(
                text,
                (1.0, n),
                xycoords=("axes fraction", "data"),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
                color=INK,
            )
    axes.set_yticks(range(len(cases)), [case.case.name for case in cases])
    axes.set_ylim(len(cases) - 0.4, -0.6)
    values = [*peaks, *(gbps for _, gbps in known), *_medians(cases)]
    # Points on lines, unlike bars, may begin anywhere: near the first of them where all are close.
    start = 0.8 * min(values) if min(values) > 0.4 * max(values) else 0.0
    axes.set_xlim(start, 1.04 * max(values))
    axes.set_xlabel("GB/s of the bytes that have to be moved (1 GB = 10⁹ bytes)")
    axes.set_title("Each case and its ceiling; on the right: percent of it")


def _marker(color: str) -> dict[str, Any]:
    return {"color": color, "markersize": 5.5, "markeredgecolor": "white", "markeredgewidth": 0.6}


def _series(cases: Sequence[CaseResult]) -> dict[str, tuple[str, str]]:
    """Colour and marker of each dtype."""
    dtypes = dict.fromkeys(case.case.dtype for case in cases)
    return {dtype: SERIES[n % len(SERIES)] for n, dtype in enumerate(dtypes)}


def _memory_roofs(cases: Sequence[CaseResult]) -> dict[str, float]:
    """Name -> GB/s: the datasheet's, and the highest measured ceiling of each kind."""
    peaks = [case.datasheet_gbps for case in cases if case.datasheet_gbps]
    found = {"datasheet": peaks[0]} if peaks else {}
    for case in cases:
        gbps = _ceiling_gbps(case)
        if gbps is not None:
            name = f"measured {case.ceiling_kind}"
            found[name] = max(gbps, found.get(name, 0.0))
    return found


def _ceiling_gbps(case: CaseResult) -> float | None:
    if case.ceiling is None or case.ceiling.summary.median <= 0.0:
        return None
    return gigabytes_per_second(case.case.minimum_bytes, case.ceiling.summary.median)


def _interval(case: CaseResult) -> tuple[float, float]:
    """GB/s at p90 and at p10 of the time."""
    assert case.kernel is not None
    summary, size = case.kernel.summary, case.case.minimum_bytes
    return gigabytes_per_second(size, summary.p90), gigabytes_per_second(size, summary.p10)


def _medians(cases: Sequence[CaseResult]) -> list[float]:
    return [case.gbps or 0.0 for case in cases]


def _float_peak_gflops(result: BenchResult) -> float | None:
    """Of float32 multiply-adds at the SM clock that was read; None where that or the GPU is
    unknown."""
    device, clocks = result.device, result.conditions.get("clocks_after") or {}
    units = _FLOAT_UNITS.get(f"{device.get('compute_major')}.{device.get('compute_minor')}")
    megahertz = str(clocks.get("sm", "")).split(" ")[0]
    if units is None or not megahertz.isdigit():
        return None
    return 2.0 * units * int(device["multiprocessors"]) * int(megahertz) / 1e3


def _driver(result: BenchResult) -> str:
    driver = result.conditions.get("driver")
    return f", driver {driver}" if driver else ""


def _today() -> str:
    return datetime.now(timezone.utc).date().isoformat()
