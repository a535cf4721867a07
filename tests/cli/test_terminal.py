"""test_terminal: wrapping, colour and excerpts, on a terminal and in a pipe."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from camp.cli.excerpt import Mark, excerpt, show_excerpt
from camp.cli.marks import access_span, display_width
from camp.cli.terminal import Terminal


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch, columns: int, **variables: str) -> Terminal:
    for name in ("NO_COLOR", "TERM", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return Terminal(FakeTerminal())


def text(of: Terminal) -> str:
    assert isinstance(of.stream, io.StringIO)
    return of.stream.getvalue()


WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen"


def test_a_pipe_gets_whole_lines_without_colour() -> None:
    plain = Terminal(io.StringIO())
    plain.say(WORDS, "red", label="error: ")
    assert text(plain) == f"error: {WORDS}\n"


@pytest.mark.parametrize("columns", [30, 50, 80])
def test_wrapping_keeps_every_word_and_the_width(
    monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    narrow = terminal(monkeypatch, columns, NO_COLOR="1")
    narrow.say(WORDS, label="error: ", indent=2)
    lines = text(narrow).splitlines()
    assert all(len(line) <= columns for line in lines)
    assert " ".join(text(narrow).split()) == f"error: {WORDS}"
    if len(lines) > 1:
        assert lines[1].startswith(" " * 9 if columns >= 27 else " ")


def test_a_label_that_fills_the_line_does_not_squeeze_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    narrow = terminal(monkeypatch, 40, NO_COLOR="1")
    narrow.say(WORDS, label="ops/copy/nvidia/kernel.cuh:23: ", indent=2)
    lines = text(narrow).splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert lines[1].startswith("      ")
    assert not lines[1].startswith("       ")


def test_a_long_path_is_never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    path = "/a/very/long/path/" + "x" * 60
    narrow = terminal(monkeypatch, 40, NO_COLOR="1")
    narrow.say(f"cannot read {path}")
    assert path in text(narrow)


def test_colour_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    assert terminal(monkeypatch, 80).paint("x", "red") == "\033[31mx\033[0m"
    assert terminal(monkeypatch, 80, NO_COLOR="").paint("x", "red") == "x"
    assert terminal(monkeypatch, 80, TERM="dumb").paint("x", "red") == "x"
    assert Terminal(io.StringIO()).paint("x", "red") == "x"


SOURCE = "int a;\n  y[i] = x[i];  // copy\n}\n"


def test_an_excerpt_marks_the_statement_or_the_column(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    path.write_text(SOURCE)
    assert excerpt(path, 2) == [
        "1 | int a;",
        "2 |   y[i] = x[i];  // copy",
        "  |   ^~~~~~~~~~~~",
        "3 | }",
    ]
    assert excerpt(path, 2, Mark(10))[2] == "  |          ^"


def test_an_excerpt_of_tabs_keeps_the_caret_in_place(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    path.write_text("\ty = x;\n")
    assert excerpt(path, 1, Mark(2)) == ["1 |     y = x;", "  |     ^"]


def test_there_is_no_excerpt_of_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    assert excerpt(path, 1) == []
    path.write_text(SOURCE)
    assert excerpt(path, 0) == []
    assert excerpt(path, 4) == []


def test_a_narrow_terminal_shows_the_part_with_the_mark(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "k.cuh"
    line = "f(" + "a, " * 30 + "wrong, b, c);"
    path.write_text(f"short\n{line}\n")
    narrow = terminal(monkeypatch, 40, NO_COLOR="1")
    show_excerpt(narrow, path, 2, Mark(line.index("wrong") + 1))
    lines = text(narrow).splitlines()
    assert all(len(shown) <= 40 for shown in lines)
    caret = lines[2].index("^")
    assert lines[1][caret : caret + 5] == "wrong"


def test_a_narrow_terminal_cuts_the_end_of_a_long_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "k.cuh"
    path.write_text("statement(" + "a, " * 30 + "b);\n")
    narrow = terminal(monkeypatch, 40, NO_COLOR="1")
    show_excerpt(narrow, path, 1)
    lines = text(narrow).splitlines()
    assert all(len(shown) <= 40 for shown in lines)
    assert lines[0].startswith("  1 | statement(a, ")
    assert lines[0].endswith("…")


@pytest.mark.parametrize(
    ("line", "name", "access", "marked"),
    [
        ("y[i] = x[i];", "x", "read", "x[i]"),
        ("x[i] = x[n - 1 - i];", "x", "read", "x[n - 1 - i]"),
        ("x[i] = x[n - 1 - i];", "x", "write", "x[i]"),
        ("s[t] += s[t + k];", "s", "read", None),  # either of two
        ("s[t] += s[t + k];", "s", "write", "s[t]"),
        ("y[at[i]] = 1;", "y", "write", "y[at[i]]"),
        ("if (x[i] <= 0) y[i] = 1;", "x", "read", None),  # left of the assignment
        ("max[i] = 1;", "x", "write", None),
        ("f(x[i]);  // x[j]", "x", "read", "x[i]"),
        ("y[i] = 1;", "an allocation", "write", None),
    ],
)
def test_an_access_is_found_in_its_line(
    line: str, name: str, access: str, marked: str | None
) -> None:
    span = access_span(line, name, access)
    assert (None if span is None else line[span[0] : span[1]]) == marked


def test_a_mark_is_under_its_access_behind_tabs_and_wide_characters(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    path.write_text("/* \u5e45 */\ty[i] = x[i];\n", encoding="utf-8")
    shown, caret = excerpt(path, 1, Mark(name="x", access="read"))
    assert display_width("\u5e45") == 2
    assert caret.index("^") == display_width(shown[: shown.index("x[i]")])
    assert "\t" not in shown
    assert caret.endswith("^~~~")


def test_wide_characters_are_cut_to_the_width(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "k.cuh"
    path.write_text("g(" + "\u5e45" * 30 + ", x[i]);\n", encoding="utf-8")
    narrow = terminal(monkeypatch, 40, NO_COLOR="1")
    show_excerpt(narrow, path, 1, Mark(name="x", access="read"))
    shown, caret = text(narrow).splitlines()
    assert display_width(shown) <= 40
    assert display_width(caret) <= 40
    assert display_width(shown[: shown.index("x[i]")]) == caret.index("^")


def test_control_characters_of_a_source_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    path.write_bytes(b"y = x;  // \x1b[2J\n")
    assert "\x1b" not in "".join(excerpt(path, 1))
