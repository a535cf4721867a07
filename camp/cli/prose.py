"""prose: Markdown paragraphs filled to the terminal's width; code, lists and tables kept."""

from __future__ import annotations

from camp.cli.terminal import Terminal


def show_prose(terminal: Terminal, text: str) -> None:
    """Prints Markdown as it is written, with its paragraphs filled anew; in a pipe unchanged."""
    if terminal.width is None:
        terminal.raw(text)
        return
    for block, is_code in _blocks(text):
        if is_code:
            for line in block:
                terminal.raw(line)
        else:
            terminal.say(" ".join(block))


def _blocks(text: str) -> list[tuple[list[str], bool]]:
    """(lines, whether they stand as they are): fenced code, indented lines, tables, blank lines;
    a list item begins a paragraph of its own."""
    blocks: list[tuple[list[str], bool]] = []
    fenced = False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        if fenced or fence or not line.strip() or line.startswith(("|", "    ", "#")):
            blocks.append(([line], True))
            fenced ^= fence
        elif blocks and not blocks[-1][1] and not line.startswith(("- ", "* ")):
            blocks[-1][0].append(line.strip())
        else:
            blocks.append(([line.strip()], False))
    return blocks
