"""simulator.declaration: reads one declaration of a __shared__ variable: specifiers, type and
declarators, in any order that C++ allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from camp.simulator.edits import Refusal
from camp.simulator.lexer import (
    CLOSING,
    OPENING,
    Token,
    match_angle_forward,
    match_backward,
    match_forward,
)

_BUILTIN = frozenset(
    ("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned")
) | {"wchar_t", "char16_t", "char32_t", "__int128", "auto"}
_QUALIFIERS = frozenset(("const", "volatile", "__restrict__", "__restrict"))
_DROPPED = frozenset(("static", "extern", "__device__", "constexpr", "inline"))
_ALIGNMENT = frozenset(("alignas", "__align__", "__attribute__"))
_SHAPE = "write it as `__shared__ type name[size];`"


@dataclass
class Declaration:
    """What stands before the declarators."""

    tokens: Sequence[Token]  # from the first specifier to the one before ';'
    type: list[Token] = field(default_factory=list)
    dropped: list[Token] = field(default_factory=list)  # blanked in the output
    shared: Token | None = None
    extern: bool = False
    alignment: list[Token] = field(default_factory=list)
    body: bool = False  # the type is defined right here
    declarators: int = 0  # index of the first token of the first declarator


def declaration_bounds(tokens: Sequence[Token], index: int) -> tuple[int, int] | None:
    """First token and ';' of the declaration around tokens[index]; None inside brackets."""
    start = index
    while start > 0:
        before = tokens[start - 1]
        if before.kind == "mark":
            if before.text in (";", "{", "}", ":"):
                break
            if before.text in (")", "]"):
                opening = match_backward(tokens, start - 1)
                if opening is None:
                    break
                start = opening
                continue
            if before.text in CLOSING or before.text == ",":
                return None  # a parameter or an argument
        start -= 1
    end = index
    while end < len(tokens) and tokens[end].text != ";":
        if tokens[end].kind == "mark" and tokens[end].text in CLOSING:
            closing = match_forward(tokens, end)
            if closing is None:
                break
            end = closing
        elif tokens[end].kind == "mark" and tokens[end].text in OPENING:
            raise Refusal(tokens[end - 1].end, "expected ';' after this __shared__ declaration")
        end += 1
    if end >= len(tokens):
        raise Refusal(tokens[index].start, "this __shared__ declaration has no ';'")
    return start, end


def read_specifiers(tokens: Sequence[Token]) -> Declaration:
    found = Declaration(tokens)
    i, typed, builtin = 0, False, False
    while i < len(tokens):
        text = tokens[i].text
        if text == "__shared__":
            if found.shared is not None:
                raise Refusal(tokens[i].start, f"'__shared__' stands twice here; {_SHAPE}")
            found.shared = tokens[i]
        elif text in _DROPPED:
            found.extern = found.extern or text == "extern"
            found.dropped.append(tokens[i])
        elif text in _ALIGNMENT and i + 1 < len(tokens) and tokens[i + 1].text == "(":
            i = _read_alignment(found, i)
        elif text == "[" and not typed and i + 1 < len(tokens) and tokens[i + 1].text == "[":
            closing = match_forward(tokens, i) or i
            found.dropped.extend(tokens[i : closing + 1])
            i = closing
        elif text in _QUALIFIERS:
            found.type.append(tokens[i])
        elif text in _BUILTIN and (builtin or not typed):
            typed = builtin = True
            found.type.append(tokens[i])
        elif not typed and (tokens[i].kind == "word" or text == "::"):
            after = _type_end(found, i)
            found.type.extend(tokens[i:after])
            typed = True
            i = after - 1
        else:
            break
        i += 1
    if not typed or found.shared is None or i >= len(tokens):
        raise Refusal(tokens[0].start, f"cannot read this __shared__ declaration; {_SHAPE}")
    found.declarators = i
    return found


def _read_alignment(found: Declaration, i: int) -> int:
    """Notes the alignment at token i; returns the index of its ')'."""
    closing = match_forward(found.tokens, i + 1)
    if closing is None:
        raise Refusal(found.tokens[i].start, f"cannot read this alignment; {_SHAPE}")
    inner = list(found.tokens[i + 2 : closing])
    if found.tokens[i].text == "__attribute__":
        words = [token.text for token in inner]  # ( aligned ( N ) )
        inner = inner[3:-2] if words[1:2] in (["aligned"], ["__aligned__"]) else []
    if inner:
        found.alignment = inner
    found.dropped.extend(found.tokens[i : closing + 1])
    return closing


def _type_end(found: Declaration, i: int) -> int:
    """Index just past the type that starts at token i."""
    tokens = found.tokens

    def text(k: int) -> str:
        return tokens[k].text if k < len(tokens) else ""

    if text(i) in ("decltype", "__typeof__", "typeof") and text(i + 1) == "(":
        closing = match_forward(tokens, i + 1)
        return len(tokens) if closing is None else closing + 1
    keyed = text(i) in ("struct", "class", "union", "enum")
    if keyed or text(i) == "typename":
        i += 1
    while keyed and text(i) in _ALIGNMENT and text(i + 1) == "(":
        i = (match_forward(tokens, i + 1) or i) + 1
    if text(i) == "::":
        i += 1
    while i < len(tokens) and tokens[i].kind == "word":
        i += 1
        if text(i) == "<":
            closing = match_angle_forward(tokens, i)
            if closing is None:
                raise Refusal(tokens[i].start, f"cannot read these template arguments; {_SHAPE}")
            i = closing + 1
        elif text(i) == "(":  # a macro that names a type, if a name follows
            closing = match_forward(tokens, i)
            following = tokens[closing + 1 :] if closing is not None else ()
            if closing is not None and following and following[0].kind == "word":
                return closing + 1
        if text(i) != "::":
            break
        i += 1
        if text(i) == "template":
            i += 1
    if keyed and text(i) == "{":
        found.body = True
        closing = match_forward(tokens, i)
        i = len(tokens) if closing is None else closing + 1
    return i


@dataclass
class Declarator:
    tokens: Sequence[Token]
    name: Token
    separator: Token | None  # the ',' after it


def split_declarators(declaration: Declaration) -> list[Declarator]:
    tokens = declaration.tokens
    declarators: list[Declarator] = []
    start = i = declaration.declarators
    while i <= len(tokens):
        if i < len(tokens) and tokens[i].text in CLOSING and tokens[i].kind == "mark":
            closing = match_forward(tokens, i)
            i = (closing if closing is not None else i) + 1
            continue
        if i == len(tokens) or tokens[i].text == ",":
            separator = tokens[i] if i < len(tokens) else None
            declarators.append(_declarator(declaration, tokens[start:i], separator))
            start = i + 1
        i += 1
    return declarators


def _declarator(
    declaration: Declaration, tokens: Sequence[Token], separator: Token | None
) -> Declarator:
    where = tokens[0] if tokens else declaration.tokens[-1]
    position = next(
        (i for i, t in enumerate(tokens) if t.kind == "word" and t.text not in _QUALIFIERS), None
    )
    if position is None:
        raise Refusal(where.start, f"a name is missing in this __shared__ declaration; {_SHAPE}")
    name = tokens[position]
    rest = list(tokens[position + 1 :])
    i = 0
    while i < len(rest):
        token = rest[i]
        if token.text in ("=", "{") or (i == 0 and token.text == "("):
            raise Refusal(
                token.start, f"__shared__ variable '{name.text}' cannot have an initial value"
            )
        if token.text in ("[", "("):
            closing = match_forward(rest, i)
            if token.text == "[" and closing == i + 1 and not declaration.extern:
                raise Refusal(
                    token.start,
                    f"__shared__ array '{name.text}' needs a size, or 'extern' in front",
                )
            i = closing if closing is not None else i
        elif token.kind != "mark":
            before = (tokens[position:][i]).end
            raise Refusal(before, "expected ';' after this __shared__ declaration")
        i += 1
    return Declarator(tokens, name, separator)
