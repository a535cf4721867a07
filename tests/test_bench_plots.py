"""test_bench_plots: the pictures are drawn and looked into: words, sizes, colours, no overlaps."""

from __future__ import annotations

import importlib
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from camp.bench.history import rows
from camp.bench.plots import DPI, require_plots, save
from camp.bench.results import BenchResult, Outcome
from camp.bench.roofline import roofline
from camp.bench.timeline import timeline
from camp.errors import StorageError, ToolchainError, UsageError
from camp.progress import Benchmark
from camp.spec import list_specs, load_spec

from .made_results import ROOT, result

SVG = "{http://www.w3.org/2000/svg}"


def words(path: Path) -> list[str]:
    """The texts of an SVG picture."""
    tree = ElementTree.parse(path)
    return ["".join(element.itertext()) for element in tree.iter(f"{SVG}text")]


def pixels(path: Path) -> Any:
    """A PNG picture as rows of red, green, blue, alpha in 0..1."""
    return importlib.import_module("matplotlib.image").imread(path)


def overlaps(figure: Any) -> list[tuple[str, str]]:
    """Pairs of upright texts that lie on each other, and of slanted labels that do."""
    figure.draw_without_rendering()
    shown = [axes for axes in figure.axes if axes.get_visible()]
    texts = [figure._suptitle, *(axes.title for axes in shown)]
    for axes in shown:
        texts += [axes.xaxis.label, axes.yaxis.label, *axes.texts]
        texts += [*_tick_labels(axes.xaxis), *_tick_labels(axes.yaxis)]
        texts += axes.get_legend().get_texts() if axes.get_legend() else []
    for legend in figure.legends:
        texts += legend.get_texts()
    boxes = [(text.get_text(), _box(text)) for text in texts if text.get_text().strip()]
    return [(a, b) for (a, one), (b, two) in combinations(boxes, 2) if one.overlaps(two)]


def _tick_labels(axis: Any) -> list[Any]:
    """Those that are drawn: an axis has labels beyond its limits as well."""
    low, high = sorted(axis.get_view_interval())
    labels = zip(axis.get_majorticklocs(), axis.get_majorticklabels(), strict=True)
    return [label for place, label in labels if low <= place <= high]


def _box(text: Any) -> Any:
    """Where a text lies; of a slanted one, which is parallel to its neighbours, the end that is
    nearest to the axis: a line's height wide."""
    box = text.get_window_extent()
    if text.get_rotation() % 90 == 0:
        return box
    height = text.get_fontsize() * text.get_figure().dpi / 72
    bbox_type = importlib.import_module("matplotlib.transforms").Bbox
    return bbox_type.from_extents(box.x1 - height, box.y1 - height, box.x1, box.y1)


def some(made: BenchResult, names: Sequence[str]) -> BenchResult:
    return replace(made, cases=tuple(case for case in made.cases if case.case.name in names))


def history(op: str, factors: Iterable[float], cases: Sequence[str]) -> list[Benchmark]:
    """Runs of some cases, each that many times slower than its ceiling."""
    found: list[Benchmark] = []
    for number, factor in enumerate(factors):
        run = some(result(op, {}, otherwise=100.0 / factor), cases)
        commit = f"{number:08x}".ljust(40, "0") + ("-dirty" if number % 2 else "")
        made_at = f"2026-01-{number + 1:02d}T00:00:00+00:00"
        found += rows(run, made_at=made_at, kernel_hash="h", git_commit=commit)
    return found


def test_a_roofline_names_device_date_units_and_every_case(tmp_path: Path) -> None:
    cases = ["65536 x 128 f32", "4096 x 4096 f32", "4096 x 4096 bf16"]
    made = some(result("softmax", {"4096 x 4096 f32": 75.0}), cases)
    figure = roofline(made, 5.0, today="2026-01-02")
    save(figure, tmp_path / "roof.svg")
    found = words(tmp_path / "roof.svg")
    assert "softmax on Test GPU, 2026-01-02, driver 580.1" in found
    assert set(cases) <= set(found)
    assert "75 %" in found
    assert "datasheet: 5,000 GB/s" in found
    assert "measured copy: 4,000 GB/s" in found
    assert "float32 at this clock: 38.4 TFLOP/s" in found
    assert any("FLOP per byte" in text for text in found)
    assert any("GB/s of the bytes" in text for text in found)
    assert overlaps(figure) == []


def test_points_of_a_roofline_are_where_arithmetic_says() -> None:
    # softmax in f32: 5 FLOP an element, 8 bytes an element; 90 % of 4000 GB/s.
    axes, cases = roofline(result("softmax", {}), 5.0).axes
    [points] = [line for line in axes.lines if line.get_label() == "f32"]
    assert set(points.get_xdata()) == {0.625}
    assert points.get_ydata() == pytest.approx([0.625 * 3600.0] * len(points.get_ydata()))
    [ceilings] = [line for line in cases.lines if line.get_label() == "its measured ceiling"]
    assert ceilings.get_xdata() == pytest.approx([4000.0] * len(ceilings.get_xdata()))


def test_an_operator_without_arithmetic_has_no_roof_but_its_cases(tmp_path: Path) -> None:
    few = some(result("copy", {}), ["2^20 f32", "2^28 bf16"])
    figure = roofline(few, 0.0, today="2026-01-02")
    save(figure, tmp_path / "copy.png")
    data = (tmp_path / "copy.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert (width, height) == tuple(int(inches * DPI) for inches in figure.get_size_inches())
    picture = pixels(tmp_path / "copy.png")
    assert picture.shape[:2] == (height, width)
    assert (picture[:20, :20, :3] == 1.0).all()  # a light background
    dark = (picture[:, :, :3].max(axis=2) < 0.5).mean()
    assert 0.005 < dark < 0.2
    assert len(figure.axes) == 1
    assert overlaps(figure) == []


def test_what_is_no_measurement_is_not_drawn() -> None:
    made = result("copy", {})
    noisy = [replace(case, outcome=Outcome.TOO_NOISY) for case in made.cases]
    assert roofline(replace(made, cases=tuple(noisy)), 0.0) is None
    one = replace(made, cases=(made.cases[0], *noisy[1:]))
    [axes] = roofline(one, 0.0).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [made.cases[0].case.name]
    assert timeline("copy", []) is None


def test_a_history_shows_intervals_commits_and_verdicts(tmp_path: Path) -> None:
    cases = ["2^20 f32", "2^24 f32"]
    figure = timeline("copy", history("copy", [2.0, 1.5, 1.5, 1.6], cases))
    save(figure, tmp_path / "history.svg")
    found = words(tmp_path / "history.svg")
    assert any(text.startswith("copy on Test GPU, 2026-01-01 to 2026-01-04") for text in found)
    assert {"00000000", "00000001+", "00000002", "00000003+"} <= set(found)
    assert {"first run", "no change", "faster", "slower", "µs"} <= set(found)
    # 2^24 floats in and out at 4000 GB/s / 1.6.
    assert "2^24 f32: 53.69 µs" in found
    assert overlaps(figure) == []
    shown = [axes for axes in figure.axes if axes.get_visible()]
    assert len(shown) == len(cases)
    first = shown[0]
    assert [bar.get_children()[0].get_marker() for bar in first.containers] == ["o", "v", "o", "^"]


def test_a_long_history_keeps_the_latest_runs_and_their_names_apart() -> None:
    figure = timeline("copy", history("copy", [1 + n / 50 for n in range(30)], ["2^24 f32"]))
    assert overlaps(figure) == []
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels[-1] == "0000001d+"


@pytest.mark.slow
@pytest.mark.parametrize("op", [spec.id for spec in list_specs(ROOT)])
def test_no_texts_overlap_in_the_pictures_of_all_cases(op: str) -> None:
    made = result(op, {})
    assert overlaps(roofline(made, load_spec(ROOT, op).flops_per_element)) == []
    names = [case.case.name for case in made.cases]
    assert overlaps(timeline(op, history(op, [1 + n / 50 for n in range(9)], names))) == []


@pytest.mark.parametrize("name", ["x.jpg", "x", "png"])
def test_another_kind_of_picture_is_a_usage_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        require_plots(tmp_path / name)


def test_without_matplotlib_the_command_to_install_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_plots(tmp_path / "x.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ToolchainError, match="matplotlib") as caught:
        require_plots(tmp_path / "x.png")
    assert caught.value.hint == "pip install -e '.[plot]'"
    assert caught.value.exit_code == 4


def test_a_place_that_cannot_be_written_is_told_before_and_after(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="no folder") as caught:
        require_plots(tmp_path / "nowhere" / "x.png")
    assert caught.value.exit_code == 4
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(StorageError, match="is a folder"):
        require_plots(tmp_path / "folder.png")
    figure = roofline(result("copy", {}), 0.0)
    with pytest.raises(StorageError, match="cannot be written"):
        save(figure, tmp_path / "nowhere" / "x.png")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.png"]


def test_texts_that_lie_on_each_other_are_found() -> None:
    figure = roofline(some(result("copy", {}), ["2^20 f32"]), 0.0)
    [axes] = figure.axes
    axes.annotate("one", (0.5, 0.5), xycoords="axes fraction")
    axes.annotate("two", (0.5, 0.52), xycoords="axes fraction")
    assert overlaps(figure) == [("one", "two")]
