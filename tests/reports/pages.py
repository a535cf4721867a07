"""pages: the code and the report on each page of docs/reports, and what is printed today.

`python -m tests.reports.pages --write` puts today's reports on the pages.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from camp.build import build_variants
from camp.cli.fault_view import show_case, show_warning
from camp.cli.terminal import Terminal
from camp.errors import BuildError
from camp.grading.check import runtime_library
from camp.grading.faults import Report, read_report
from camp.grading.grader import Grader
from camp.grading.judge import from_fault
from camp.grading.suite import load_cases
from camp.grading.symbols import Symbols
from camp.workspace import Workspace

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "reports"
SEED = 62
BOTH = ("kernel", "fix")
_BLOCK = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_CASE = re.compile(r"^`kernel\.cuh` of (?P<op>\w+), graded by `(?P<case>\S+)`:$", re.MULTILINE)
_INCLUDE = re.compile(r"^#include .*$", re.MULTILINE)


@dataclass(frozen=True)
class Example:
    """What a page shows. op and case: of the grader's pages, whose kernels are operator files."""

    kind: str
    kernel: str
    report: str
    fix: str
    op: str = ""
    case: str = ""

    @property
    def file(self) -> str:
        return "kernel.cuh" if self.op else f"{self.kind}.cu"


def read_page(path: Path) -> Example:
    text = path.read_text(encoding="utf-8")
    blocks = [(match["language"], match["text"]) for match in _BLOCK.finditer(text)]
    languages = [language for language, _ in blocks]
    assert languages == ["cuda", "text", "cuda"], f"{path.name}: {languages}"
    kernel, report, fix = (block for _, block in blocks)
    graded = _CASE.search(text)
    names = (graded["op"], graded["case"]) if graded else ("", "")
    return Example(path.stem, kernel, report, fix, *names)


def examples() -> list[Example]:
    return [read_page(path) for path in sorted(FOLDER.glob("[a-z]*.md"))]


def printed(example: Example, report: Report) -> str:
    """The report of a kernel as `camp check` prints it."""
    stream = io.StringIO()
    errors = report.errors
    if errors:
        show_case(Terminal(stream), from_fault("", errors[0], report.faults))
    for warning in report.warnings:
        show_warning(Terminal(stream), warning)
    return _unindented(stream.getvalue())


def run_kernels(pages: list[Example], folder: Path) -> dict[tuple[str, str], Report]:
    """Reports by (kind, "kernel" or "fix"): all launched in one process, from one library.

    Each becomes a file of its own, included in a namespace, so that lines are those of the page.
    Relative paths in what is printed count from `folder`.
    """
    cases = [(page, which, getattr(page, which)) for page in pages for which in BOTH]
    main = ["#pragma once", "#include <cuda_runtime.h>", "#include <cstdlib>", "#include <cstring>"]
    calls = []
    for page, which, text in cases:
        main += _INCLUDE.findall(text)
        file = folder / which / page.file
        file.parent.mkdir(exist_ok=True)
        # A page's own includes must not end up inside the namespace; the line stays.
        file.write_text(_INCLUDE.sub(lambda match: "//" + match[0], text))
        main += [f"namespace {which}_{page.kind} {{", f'#include "{which}/{page.file}"', "}"]
        calls.append(f'  if (name == "{page.kind}/{which}") {which}_{page.kind}::launch(y, x, n);')
    main += [
        "inline void run_example(float *y, const float *x, int n) {",
        '  const std::string name = std::getenv("EXAMPLE");',
        *calls,
        "}",
        "template <typename T>",
        "void launch_copy(T *y, const T *x, int64_t n, cudaStream_t) {",
        "  if constexpr (sizeof(T) == 4)",
        "    run_example(reinterpret_cast<float *>(y),"
        " reinterpret_cast<const float *>(x), int(n));",
        "}",
    ]
    main[3:3] = ["#include <cstdint>", "#include <string>"]
    kernel = folder / "examples.cuh"
    kernel.write_text("\n".join(main) + "\n")
    library = _build([("copy", kernel)])[kernel]
    names = [f"{page.kind}/{which}" for page, which, _ in cases]
    runtime = runtime_library(Workspace(ROOT), "sim")
    done = subprocess.run(
        [sys.executable, "-m", "tests.reports.run", str(runtime), str(library), *names],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reports = done.stdout.splitlines()
    assert len(reports) == len(names), done.stdout
    symbols = Symbols(library)
    return {
        (page.kind, which): read_report(text, symbols)
        for (page, which, _), text in zip(cases, reports, strict=True)
    }


def grade_kernels(pages: list[Example], folder: Path) -> dict[tuple[str, str], str]:
    """What is printed of each kernel file, "" for one that passes."""
    files: dict[tuple[str, str], Path] = {}
    by_text: dict[str, Path] = {}
    for page in pages:
        for which in BOTH:
            text = getattr(page, which)
            if text not in by_text:
                place = folder / f"{page.kind}-{which}"
                place.mkdir()
                by_text[text] = place / "kernel.cuh"
                by_text[text].write_text(text)
            files[page.kind, which] = by_text[text]
    wanted = {file: page.op for page in pages for file in (files[page.kind, w] for w in BOTH)}
    libraries = _build([(op, file) for file, op in wanted.items()])
    said = {}
    for page in pages:
        for which in BOTH:
            file = files[page.kind, which]
            said[page.kind, which] = _grade(page, file, libraries[file])
    return said


def _grade(page: Example, file: Path, library: Path) -> str:
    [case] = [case for case in load_cases(ROOT, page.op) if case.id == page.case]
    with Grader(page.op, backend="sim", seed=SEED) as grader:
        grader.use(runtime_library(Workspace(ROOT), "sim"), library, Symbols(library))
        result = grader.grade(case)
    if result.passed:
        return ""
    stream = io.StringIO()
    show_case(Terminal(stream), result)
    return _unindented(stream.getvalue()).replace(f"{file.parent.name}/", "")


def _build(kernels: list[tuple[str, Path]]) -> dict[Path, Path]:
    built = build_variants(Workspace(ROOT), "sim", kernels, keep_going=True)
    libraries = {}
    for (_, file), library in built.items():
        if isinstance(library, BuildError):
            raise AssertionError(
                f"{file} does not compile: {library.message} {library.diagnostics} {library.log}"
            )
        libraries[file] = library
    return libraries


def _unindented(text: str) -> str:
    return "".join(line.removeprefix("  ") for line in text.splitlines(keepends=True))


def current_reports(pages: list[Example], folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """(kernels', fixes') reports by kind. The current folder must be `folder`."""
    plain = [page for page in pages if not page.op]
    reports = run_kernels(plain, folder)
    said = {
        (page.kind, which): printed(page, reports[page.kind, which]).replace(f"{which}/", "")
        for page in plain
        for which in BOTH
    }
    said |= grade_kernels([page for page in pages if page.op], folder)
    return (
        {kind: text for (kind, which), text in said.items() if which == "kernel"},
        {kind: text for (kind, which), text in said.items() if which == "fix"},
    )


def write() -> None:
    with tempfile.TemporaryDirectory() as name:
        os.chdir(name)
        kernels, _ = current_reports(examples(), Path(name).resolve())
    for kind, report in kernels.items():
        path = FOLDER / f"{kind}.md"
        text = path.read_text(encoding="utf-8")
        head, _, rest = text.partition("```text\n")
        path.write_text(f"{head}```text\n{report}```{rest.partition('```')[2]}", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python -m tests.reports.pages --write")
    write()
