"""simulator.scan: the tokens of a file that the simulator's build may compile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from camp.simulator.conditions import Conditionals, Macros, decide
from camp.simulator.lexer import Directive, Token, tokenize


@dataclass
class Scan:
    """The code tokens that the compiler may see, and where each stands."""

    tokens: list[Token] = field(default_factory=list)
    in_function: list[bool] = field(default_factory=list)  # beside `tokens`
    directives: list[Directive] = field(default_factory=list)


def scan_source(text: str) -> Scan:
    """Splits a file, without the branches that the simulator's build surely leaves out."""
    scan = Scan()
    conditionals = Conditionals()
    macros = Macros()
    guard = ""  # NAME, right after an undecided `#ifndef NAME`
    scopes: list[bool] = []  # one entry an open brace: whether it opens more than a namespace
    saved: list[list[bool]] = []  # `scopes` at each open #if
    for item in tokenize(text):
        guarded, guard = guard, ""
        if isinstance(item, Directive):
            if item.name == "define" and guarded and item.body[:1] and item.body[0].text == guarded:
                conditionals.assume()
            if item.name in ("if", "ifdef", "ifndef"):
                decision = decide(item, macros)
                conditionals.enter(decision)
                if item.name == "ifndef" and decision is None and item.body:
                    guard = item.body[0].text
                saved.append(scopes.copy())
            elif item.name in ("elif", "else") and saved:
                conditionals.otherwise(decide(item, macros) if item.name == "elif" else True)
                scopes = saved[-1].copy()
            elif item.name == "endif":
                conditionals.leave()
                if saved:
                    saved.pop()
            elif not conditionals.skipped:
                scan.directives.append(item)
                if item.name in ("define", "undef"):
                    macros.note(item, surely=conditionals.decided)
            continue
        if conditionals.skipped:
            continue
        if item.kind == "mark" and item.text == "{":
            scopes.append(not _opens_namespace(scan.tokens))
        elif item.kind == "mark" and item.text == "}" and scopes:
            scopes.pop()
        scan.tokens.append(item)
        scan.in_function.append(any(scopes))
    return scan


def _opens_namespace(tokens: Sequence[Token]) -> bool:
    """Whether a `{` right after these tokens opens a namespace or a linkage block."""
    i = len(tokens) - 1
    if i >= 1 and tokens[i].kind == "string" and tokens[i - 1].text == "extern":
        return True
    while i >= 0 and (tokens[i].kind == "word" or tokens[i].text == "::"):
        if tokens[i].text == "namespace":
            return True
        i -= 1
    return False
