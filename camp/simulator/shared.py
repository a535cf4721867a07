"""simulator.shared: rewrites declarations of __shared__ variables.

    __shared__ float tile[32][33];      becomes, on the same line,
    typedef    float camp_shared_tile[32][33]; static ::camp_sim::SharedVariable
        camp_slot_tile{"tile", __FILE__, 7}; auto &tile =
        ::camp_sim::shared_variable<camp_shared_tile, 0, camp_sim_kernel, 112>(camp_slot_tile);

A typedef takes any declarator as it stands. camp_sim_kernel tells which kernel this is part of, the
number where in it. `extern __shared__ T name[]` becomes a pointer in a
function and a DynamicShared object outside of one.
"""

from __future__ import annotations

from collections.abc import Sequence

from camp.simulator.declaration import (
    Declaration,
    Declarator,
    read_specifiers,
    split_declarators,
)
from camp.simulator.edits import Edit, Refusal
from camp.simulator.lexer import Source, Token, match_forward, spell


def rewrite_shared(
    source: Source, tokens: Sequence[Token], start: int, end: int, *, in_function: bool
) -> list[Edit]:
    """Edits for the declaration tokens[start:end], whose ';' is tokens[end]."""
    declaration = read_specifiers(tokens[start:end])
    shared = declaration.shared
    assert shared is not None
    if not declaration.extern and not in_function:
        raise Refusal(shared.start, "a __shared__ variable must be declared inside a kernel")
    edits = [Edit(shared.start, shared.end, "typedef   ")]
    for token in declaration.dropped:
        edits.append(Edit(token.start, token.end, " " * len(token.text)))

    base = spell(declaration.type)
    names = split_declarators(declaration)
    before_first = ""
    first_name = names[0].name.text
    if declaration.body and len(names) > 1:
        base = f"camp_type_{first_name}"
        before_first = f"{base}; typedef {base} "
    alignment, tag = _alignment(declaration, first_name)
    if before_first:
        edits.append(Edit.insert(names[0].tokens[0].start, before_first))

    for i, declarator in enumerate(names):
        name, alias = declarator.name.text, f"camp_shared_{declarator.name.text}"
        line, _ = source.place(declarator.name.start)
        edits.append(Edit(declarator.name.start, declarator.name.end, alias))
        if declaration.extern:
            edits.append(_drop_first_extent(declarator))
            text = _dynamic(name, alias, alignment, in_function)
        else:
            text = (
                f"static ::camp_sim::SharedVariable camp_slot_{name}"
                f'{{"{name}", __FILE__, {line}}}; auto &{name} = '
                f"::camp_sim::shared_variable<{alias}, {alignment}, camp_sim_kernel, "
                f"{declarator.name.start}>(camp_slot_{name});"
            )
        closing = tokens[end] if i + 1 == len(names) else declarator.separator
        assert closing is not None
        after = "" if i + 1 == len(names) else f" typedef {base}"
        edits.append(Edit(closing.start, closing.end, f"; {tag if i == 0 else ''}{text}{after}"))
    return edits


def _dynamic(name: str, alias: str, alignment: str, in_function: bool) -> str:
    if in_function:
        return f"{alias} *const {name} = ::camp_sim::dynamic_shared<{alias}, {alignment}>();"
    return f"static const ::camp_sim::DynamicShared<{alias}, {alignment}> {name}{{}};"


def _alignment(declaration: Declaration, name: str) -> tuple[str, str]:
    """The alignment as a template argument, and a type to declare for it first (or "")."""
    tokens = declaration.alignment
    if not tokens:
        return "0", ""
    if len(tokens) == 1 and tokens[0].kind == "number":
        return tokens[0].text, ""
    # alignas takes a type or a number; alignof of an empty struct is right for both.
    tag = f"camp_align_{name}"
    return f"alignof({tag})", f"struct alignas({spell(tokens)}) {tag} {{}}; "


def _drop_first_extent(declarator: Declarator) -> Edit:
    """`[]` or `[n]` right after the name: the element type is what remains."""
    tokens = list(declarator.tokens)
    position = tokens.index(declarator.name) + 1
    if position >= len(tokens) or tokens[position].text != "[":
        raise Refusal(
            declarator.name.start,
            f"extern __shared__ '{declarator.name.text}' must be an array: "
            f"`extern __shared__ type {declarator.name.text}[];`",
        )
    closing = match_forward(tokens, position)
    assert closing is not None
    return Edit(tokens[position].start, tokens[closing].end, "")
