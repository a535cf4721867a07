"""test_docs: the README and docs name commands, variables, operators and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from camp.cli.app import COMMANDS
from camp.cli.builds import VARIABLES
from camp.errors import (
    EXIT_BUILD,
    EXIT_ENVIRONMENT,
    EXIT_FAILED,
    EXIT_INTERNAL,
    EXIT_PASS,
    EXIT_USAGE,
)
from camp.spec import list_specs

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COMMAND = re.compile(r"`(?:[A-Z_]+=\S+ )*camp ([a-z][a-z-]*)")
LINK = re.compile(r"\]\(([^)#]+?)(?:#[^)]*)?\)")


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading of the README."""
    section = README.split(f"{heading}\n", 1)[1]
    table = []
    for line in section.splitlines():
        if line.startswith("|"):
            table.append([cell.strip() for cell in line.strip("|").split("|")])
        elif table:
            break
    return table[2:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_and_links_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name in COMMAND.findall(text):
        assert name in COMMANDS, f"camp {name}"
    for target in LINK.findall(text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def test_every_command_is_in_the_readme() -> None:
    named = set(COMMAND.findall(README))
    assert {name for name, command in COMMANDS.items() if not command.hidden} <= named


def test_the_operators_are_those_of_the_contracts() -> None:
    expected = [[spec.id, spec.difficulty, spec.concept] for spec in list_specs(ROOT)]
    assert rows("## Operators") == expected


def test_the_variables_are_those_that_env_shows() -> None:
    shown = [(row[0].strip("`"), row[2]) for row in rows("### Environment variables")]
    assert shown == [(name, meaning) for name, _, meaning in VARIABLES]


def test_the_exit_codes_are_those_of_the_program() -> None:
    codes = [int(row[0]) for row in rows("### Exit codes")]
    assert codes == [
        *(EXIT_PASS, EXIT_FAILED, EXIT_USAGE, EXIT_BUILD, EXIT_ENVIRONMENT, EXIT_INTERNAL),
        130,
    ]


def test_every_decision_is_listed() -> None:
    index = (ROOT / "docs" / "adr" / "README.md").read_text(encoding="utf-8")
    records = sorted((ROOT / "docs" / "adr").glob("0*.md"))
    assert len(records) > 5
    for record in records:
        assert f"({record.name})" in index
        assert record.read_text(encoding="utf-8").startswith(f"# {record.name[:4]}: ")
