"""simulator.macros: the macros that a file and its local headers define, as far as they decide
what is compiled and what needs a GPU."""

from __future__ import annotations

from collections.abc import Sequence

from camp.simulator.lexer import Directive, Token, match_forward
from camp.simulator.refusals import refused_token


def macro_body(directive: Directive) -> tuple[frozenset[str], Sequence[Token]]:
    """Parameters and body of a #define."""
    tokens = directive.body[1:]
    if tokens and tokens[0].text == "(" and tokens[0].start == directive.body[0].end:
        closing = match_forward(tokens, 0) or 0
        parameters = frozenset(t.text for t in tokens[:closing] if t.kind == "word")
        return parameters, tokens[closing + 1 :]
    return frozenset(), tokens


class GpuMacros:
    """Macros whose body, or a macro used in it, needs a GPU. Only their use is refused."""

    def __init__(self) -> None:
        self._direct: dict[str, str] = {}
        self._words: dict[str, frozenset[str]] = {}

    def define(self, directive: Directive) -> None:
        """Notes a #define; an earlier one of the same name no longer counts."""
        if not directive.body:
            return
        name = directive.body[0].text
        _, body = macro_body(directive)
        found = (refused_token(body, i) for i in range(len(body)))
        what = next((text for text in found if text is not None), None)
        self._direct.pop(name, None)
        if what is not None:
            self._direct[name] = what
        self._words[name] = frozenset(token.text for token in body if token.kind == "word")

    def refused(self, name: str) -> str | None:
        """What needs a GPU of a macro's expansion, or None."""
        pending, seen = [name], set[str]()
        while pending:
            macro = pending.pop()
            if macro in self._direct:
                return f"{self._direct[macro]}, in the macro {name}"
            if macro in self._words and macro not in seen:
                seen.add(macro)
                pending.extend(self._words[macro])
        return None
