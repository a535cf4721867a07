"""test_terminal: wrapping, colour and excerpts, on a terminal and in a pipe."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from camp.cli.excerpt import excerpt, show_excerpt
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
    assert excerpt(path, 2, 10)[2] == "  |          ^"


def test_an_excerpt_of_tabs_keeps_the_caret_in_place(tmp_path: Path) -> None:
    path = tmp_path / "k.cuh"
    path.write_text("\ty = x;\n")
    assert excerpt(path, 1, 2) == ["1 |     y = x;", "  |     ^"]


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
    show_excerpt(narrow, path, 2, line.index("wrong") + 1)
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
