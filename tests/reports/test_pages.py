"""test_pages: every kind of report has a page, and every page shows what is printed today."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from camp.grading.verdict import Verdict
from camp.report_pages import VERDICT_KINDS, anchor_of, kinds, load_page
from camp.spec import list_specs
from tests.reports.pages import FOLDER, ROOT, Example, current_reports, examples

PAGES = examples()
KINDS = [page.kind for page in PAGES]
HEADINGS = ["Kernel", "Report", "On a GPU", "Fix", "Lesson"]
# Where the engine names the kind of a fault that it makes.
NAMED = re.compile(
    r"""(?:fault_here|kernel_trap|access_fault\(worker,)[\s(]*(?:[^;"]*\?\s*)?"(\w+)"(?:\s*:\s*"(\w+)")?"""
    r"""|kind = (?:[^;"]*\?\s*)?"(\w+)"(?:\s*:\s*"(\w+)")?"""
)
# Verdicts that come with a fault of the simulator, or that need no explanation.
WITHOUT_A_PAGE = {
    *(Verdict.PASS, Verdict.BUILD, Verdict.NOT_STARTED),
    *(Verdict.MISALIGNED, Verdict.UNINIT, Verdict.RACE, Verdict.SYNC),
}


@dataclass(frozen=True)
class Current:
    kernels: dict[str, str]
    fixes: dict[str, str]


@pytest.fixture(scope="module")
def current(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Current]:
    """Today's reports of all pages."""
    folder = tmp_path_factory.mktemp("reports")
    before = Path.cwd()
    os.chdir(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("camp.grading.prepared._LAUNCH_BASE_S", 0.3)
        patch.setattr("camp.grading.prepared._AFTER_LAUNCH_S", 0.3)
        try:
            yield Current(*current_reports(PAGES, folder))
        finally:
            os.chdir(before)


@pytest.mark.parametrize("page", PAGES, ids=KINDS)
def test_the_report_is_the_one_printed_today(page: Example, current: Current) -> None:
    assert page.report, "run python -m tests.reports.pages --write"
    assert current.kernels[page.kind] == page.report, "python -m tests.reports.pages --write"


@pytest.mark.parametrize("page", PAGES, ids=KINDS)
def test_the_fix_is_silent(page: Example, current: Current) -> None:
    assert current.fixes[page.kind] == ""
    assert page.fix != page.kernel


def engine_kinds() -> set[str]:
    sources = [
        *sorted((ROOT / "native/sim/src").glob("*.cc")),
        *sorted((ROOT / "native/sim/include").rglob("*.h")),
    ]
    found: set[str] = set()
    for source in sources:
        for match in NAMED.finditer(source.read_text()):
            found |= {name for name in match.groups() if name}
    return found


def test_every_kind_has_a_page_and_every_page_a_kind() -> None:
    graded = set(VERDICT_KINDS.values())
    found = engine_kinds()
    assert {"race", "trap", "assertion", "null_pointer", "launch_limit", "misaligned"} <= found
    assert set(KINDS) == found | graded == set(kinds(ROOT))
    assert {page.kind for page in PAGES if page.op} == graded
    assert set(Verdict) - WITHOUT_A_PAGE == set(VERDICT_KINDS)


def test_the_header_lists_the_kinds_of_the_engine() -> None:
    header = (ROOT / "native/include/operator_runtime/simulator.h").read_text()
    text = header.split(" * kinds: ", 1)[1].split("The string is valid", 1)[0]
    listed = set(re.findall(r"[a-z]+(?:_[a-z]+)*", re.sub(r"\([^)]*\)", "", text)))
    assert listed == engine_kinds()


@pytest.mark.parametrize("page", PAGES, ids=KINDS)
def test_a_page_has_the_common_form(page: Example) -> None:
    text = (FOLDER / f"{page.kind}.md").read_text()
    title = text.splitlines()[0]
    assert re.fullmatch(rf"# {page.kind} \(([A-Z]+|warning)\)", title)
    word = title.split("(")[1].rstrip(")")
    assert word == "warning" or word in {verdict.value for verdict in Verdict}
    assert page.report.startswith("warning: ") == (word == "warning")
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^## (.*)$", outside, re.MULTILINE) == HEADINGS
    loaded = load_page(ROOT, page.kind)
    assert loaded is not None
    assert 40 < len(loaded.rule) < 700


@pytest.mark.parametrize("op", [None, *(spec.id for spec in list_specs(ROOT))])
def test_every_lesson_that_a_report_links_to_exists(op: str | None) -> None:
    for kind in KINDS:
        page = load_page(ROOT, kind, op)
        assert page is not None
        assert page.lesson is not None, kind
        lines = (ROOT / page.lesson.path).read_text().splitlines()
        assert f"## {page.lesson.heading}" in lines
        assert anchor_of(page.lesson.heading) == page.lesson.anchor
        assert len(page.lesson.text) > 100


def test_an_operator_is_sent_to_its_own_lesson_where_it_has_the_section() -> None:
    for op, expected in (("softmax", "softmax"), ("copy", "reduce_sum"), (None, "reduce_sum")):
        page = load_page(ROOT, "race", op)
        assert page is not None
        assert str(page.lesson) == f"exercises/{expected}/lesson.md#races-and-barriers"


def test_a_kind_from_a_worker_names_no_file() -> None:
    for kind in ("", "../README", "race.md", "README", "no_such_kind"):
        assert load_page(ROOT, kind) is None


def test_the_index_lists_every_page() -> None:
    index = (FOLDER / "README.md").read_text()
    assert re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \|", index, re.MULTILINE) == [
        (kind, kind) for kind in sorted(KINDS, key=lambda kind: (order(kind), kind))
    ]


def order(kind: str) -> bool:
    """Faults of the simulator come before what only the grader sees."""
    return kind in VERDICT_KINDS.values()
