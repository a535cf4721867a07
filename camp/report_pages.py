"""report_pages: what the docs and the lessons say of each kind of report.

A kind of report is what a fault of the simulator is called (`race`), or, for what only the grader
sees, the word of VERDICT_KINDS. Each has a page docs/reports/<kind>.md:

    # race (RACE)
    the rule that was broken, in a paragraph
    ## Kernel ... ## Report ... ## On a GPU ... ## Fix ... ## Lesson
    [Races and barriers](../../exercises/reduce_sum/lesson.md#races-and-barriers)

The link names the section by its anchor. An operator whose own lesson has a section of that anchor
is sent there instead: a lesson takes part by its headings, and no table lists it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from camp.errors import UsageError
from camp.grading.result import CaseResult
from camp.grading.verdict import Verdict

# Reports of the grader, where no fault of the simulator is the cause.
VERDICT_KINDS = {
    Verdict.WRONG: "wrong",
    Verdict.UNWRITTEN: "unwritten",
    Verdict.PRECISION: "precision",
    Verdict.SPECIAL: "special",
    Verdict.OOB: "stray_write",
    Verdict.LAUNCH: "no_launch",
    Verdict.CRASH: "crash",
    Verdict.HANG: "hang",
}
_FOLDER = Path("docs", "reports")
_LESSON = re.compile(r"\]\(\.\./\.\./(?P<path>exercises/[\w/]+\.md)#(?P<anchor>[\w-]+)\)")


@dataclass(frozen=True)
class Section:
    """A section of a lesson. path: relative to the clone. text: without its heading."""

    path: str
    anchor: str
    heading: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}#{self.anchor}"


@dataclass(frozen=True)
class ReportPage:
    """A page of docs/reports. path: relative to the clone. rule: what was broken."""

    kind: str
    path: str
    text: str
    rule: str
    lesson: Section | None


def kind_of(result: CaseResult) -> str | None:
    """The kind of report that a failed case is; None for a pass and for a failed build."""
    kind = result.facts.get("kind")
    return str(kind) if kind else VERDICT_KINDS.get(result.verdict)


def kinds(root: Path) -> list[str]:
    """Every kind that has a page, in alphabetical order."""
    return sorted(page.stem for page in (root / _FOLDER).glob("[a-z]*.md"))


def load_page(root: Path, kind: str, op: str | None = None) -> ReportPage | None:
    """The page of a kind with the lesson's section for `op`; None where there is no page."""
    path = _FOLDER / f"{kind}.md"
    # Kinds come from the worker too: only a plain word is a file's name.
    text = _read(root / path) if re.fullmatch(r"[a-z_]+", kind) else ""
    if not text:
        return None
    sections = _sections(text)
    rule = " ".join(sections[0][1].split())
    return ReportPage(kind, path.as_posix(), text, rule, _lesson(root, sections[-1][1], op))


def require_page(root: Path, kind: str) -> ReportPage:
    """As load_page. Raises UsageError with the kinds that there are."""
    page = load_page(root, kind)
    if page is None:
        raise UsageError(
            f"there is no report of kind '{kind}'", hint=f"kinds: {', '.join(kinds(root))}"
        )
    return page


def find_section(root: Path, path: str, anchor: str) -> Section | None:
    """The section of a Markdown file whose heading has this anchor."""
    for heading, text in _sections(_read(root / path)):
        if anchor_of(heading) == anchor:
            return Section(path, anchor, heading, text)
    return None


def anchor_of(heading: str) -> str:
    """A heading's anchor, as Markdown renderers make it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def _lesson(root: Path, text: str, op: str | None) -> Section | None:
    link = _LESSON.search(text)
    if link is None:
        return None
    own = find_section(root, f"exercises/{op}/lesson.md", link["anchor"]) if op else None
    return own or find_section(root, link["path"], link["anchor"])


def _sections(text: str) -> list[tuple[str, str]]:
    """(heading, text) of the title and of each heading of level 2; fences hold no headings."""
    sections: list[tuple[str, list[str]]] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        if not fenced and line.startswith(("# ", "## ")):
            sections.append((line.lstrip("# "), []))
        elif sections:
            sections[-1][1].append(line)
    return [(heading, "\n".join(lines).strip()) for heading, lines in sections]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
