"""simulator.launches: rewrites `kernel<<<grid, block, shared, stream>>>(arguments)`.

k<T><<<g, b>>>(x, n)  becomes, without moving a line,
::camp_sim::launch(CAMP_SIM_KERNEL("k<T>", k<T>), ::camp_sim::configure(g, b),
                   [=](const auto &...camp_args) CAMP_SIM_NO_SANITIZE { k<T>(camp_args...); },
                   x, n)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from camp.simulator.edits import Edit, Refusal
from camp.simulator.lexer import (
    CLOSING,
    Token,
    match_angle_backward,
    match_angle_forward,
    match_backward,
    match_forward,
    spell,
)

# Words that may stand before a kernel's name without being part of it.
_NOT_A_NAME = frozenset(
    ("return", "else", "do", "case", "throw", "co_return", "co_yield", "co_await", "new", "delete")
)


def is_launch(tokens: Sequence[Token], index: int) -> bool:
    """Whether `<<<` starts at tokens[index]."""
    if tokens[index].text != "<" or index + 2 >= len(tokens):
        return False
    if index and tokens[index - 1].text in ("operator", "<"):
        return False
    a, b, c = tokens[index : index + 3]
    return b.text == c.text == "<" and a.end == b.start and b.end == c.start


def rewrite_launch(
    tokens: Sequence[Token], index: int, *, parameters: Collection[str] | None = None
) -> list[Edit]:
    """Edits for the launch whose `<<<` is at `index`.

    `parameters` are those of the macro whose body `tokens` are; None outside of a macro.
    """
    here = tokens[index]
    first = _kernel_start(tokens, index)
    if first is None:
        raise Refusal(here.start, "cannot read which kernel this launches")
    close = _configuration_end(tokens, index + 3)
    if close is None:
        raise Refusal(here.start, "this launch has no matching '>>>(' for its '<<<'")
    commas = _top_level_commas(tokens, index + 3, close)
    if close == index + 3 or not 1 <= commas <= 3:
        raise Refusal(here.start, "a launch takes <<<grid, block>>> and at most two more values")
    opening = close + 3
    end = match_forward(tokens, opening)
    if end is None:
        raise Refusal(tokens[opening].start, "the arguments of this launch have no closing ')'")

    kernel = spell(tokens[first:index])
    name = _name(tokens[first:index], parameters or ())
    arguments = tokens[opening + 1 : end]
    comma = ", " if arguments else ""
    if parameters is not None and [token.text for token in arguments] == ["__VA_ARGS__"]:
        comma = ", ##"  # no comma when the macro gets no arguments
    call = f"[=](const auto &...camp_args) CAMP_SIM_NO_SANITIZE {{ {kernel}(camp_args...); }}"
    return [
        Edit.insert(tokens[first].start, f"::camp_sim::launch(CAMP_SIM_KERNEL({name}, "),
        Edit(here.start, tokens[index + 2].end, "), ::camp_sim::configure("),
        Edit(tokens[close].start, tokens[close + 2].end, f"), {call}"),
        Edit(tokens[opening].start, tokens[opening].end, comma),
    ]


def _name(kernel: Sequence[Token], parameters: Collection[str]) -> str:
    """The kernel's name as a string literal; a macro's parameters are spelled by `#`."""
    parts: list[str] = []
    text = ""
    for i, token in enumerate(kernel):
        gap = " " if i and kernel[i - 1].end != token.start else ""
        if token.text == "##":
            continue
        if token.text in parameters:
            parts += [_quoted(text + gap)] if text + gap else []
            parts.append(f"#{token.text}")
            text = ""
        else:
            text += gap + token.text
    return " ".join([*parts, _quoted(text)] if text or not parts else parts)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _kernel_start(tokens: Sequence[Token], index: int) -> int | None:
    """Index of the first token of the postfix expression that ends just before `index`."""
    i = index - 1
    while i >= 0:
        token = tokens[i]
        if token.text == ">":
            opening = match_angle_backward(tokens, i)
            if opening is None or opening == 0 or tokens[opening - 1].kind != "word":
                return None
            i = opening - 1
            token = tokens[i]
        if token.text in (")", "]"):
            opening = match_backward(tokens, i)
            if opening is None:
                return None
            before = tokens[opening - 1] if opening else None
            callee = before is not None and (
                (before.kind == "word" and before.text not in _NOT_A_NAME | {"if", "while", "for"})
                or before.text in (">", "]")
                or (token.text == "]" and before.text == ")")
            )
            if not callee:
                return opening
            i = opening - 1
            continue
        if token.kind != "word" or token.text in _NOT_A_NAME:
            return None
        if i and tokens[i - 1].text == "template":
            i -= 1
        joint = _joint_before(tokens, i)
        if joint is None:
            return i
        if joint == 0:
            return 0 if tokens[0].text == "::" else None
        before = tokens[joint - 1]
        named = before.text == ">" or (before.kind == "word" and before.text not in _NOT_A_NAME)
        if tokens[joint].text == "::":
            if not named:
                return joint  # ::kernel, from the global namespace
        elif not named and before.text not in (")", "]"):
            return None
        i = joint - 1
    return None


def _joint_before(tokens: Sequence[Token], i: int) -> int | None:
    """Index of the `::`, `.`, `->` or `##` just before tokens[i], or None."""
    if i and tokens[i - 1].text in ("::", ".", "->", "##"):
        return i - 1
    return None


def _configuration_end(tokens: Sequence[Token], start: int) -> int | None:
    """Index of the first `>` of the `>>>` that is followed by `(`."""
    i = start
    while i + 3 < len(tokens):
        token = tokens[i]
        if token.kind == "mark":
            if token.text in CLOSING:
                closing = match_forward(tokens, i)
                if closing is None:
                    return None
                i = closing + 1
                continue
            if token.text in (")", "]", "}", ";"):
                return None
            if (
                [t.text for t in tokens[i : i + 4]] == [">", ">", ">", "("]
                and tokens[i].end == tokens[i + 1].start
                and tokens[i + 1].end == tokens[i + 2].start
            ):
                return i
        i += 1
    return None


def _top_level_commas(tokens: Sequence[Token], start: int, end: int) -> int:
    """Commas of the configuration outside brackets and template arguments."""
    count = 0
    i = start
    while i < end:
        token = tokens[i]
        if token.kind == "mark" and token.text in CLOSING:
            closing = match_forward(tokens, i)
            i = closing if closing is not None else end
        elif token.text == "<" and i > start and tokens[i - 1].kind == "word":
            closing = match_angle_forward(tokens, i)
            i = closing if closing is not None and closing < end else i  # else a less-than sign
        elif token.text == ",":
            count += 1
        i += 1
    return count
