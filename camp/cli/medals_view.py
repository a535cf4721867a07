"""medals_view: medals in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from camp.cli.terminal import Terminal
from camp.medals import SPEED, TRAFFIC_TARGETS, Earned, next_target
from camp.progress import MedalRow

_COLORS = {"gold": "yellow", "silver": "cyan", "bronze": "red"}


def show_earned(
    terminal: Terminal, earned: Earned, targets: Mapping[str, float], *, kept: bool
) -> None:
    """One line on the medal of a run. `targets` are those of the speed medal. kept: whether it was
    the learner's own kernel, whose medals are remembered."""
    label = f"{earned.kind} medal: "
    if not earned.judged:
        terminal.say(f"none: {earned.why_not}", label=label)
        return
    assert earned.percent is not None
    if earned.kind == SPEED:
        share = f"{earned.percent:.1f} % of the ceiling in the worst medal case"
    else:
        targets = TRAFFIC_TARGETS
        share = f"{earned.percent:.1f} % of the moved bytes had to be, in the worst case"
    text = f"{earned.medal or 'none yet'}: {share}, {earned.case}"
    following = next_target(earned.medal, targets)
    if following:
        text += f"; {following[0]} from {following[1]:g} % on"
        if earned.kind != SPEED and earned.percent >= following[1]:
            text += " with fewer bank conflicts"
    if not kept:
        text += " (not kept: not your kernel file)"
    terminal.say(text, *([_COLORS[earned.medal], "bold"] if earned.medal else []), label=label)


def medal_cell(best: MedalRow | None, current_hash: str) -> Any:
    """A medal in a table; "of an older version" where the kernel file has changed since."""
    if best is None:
        return ""
    from rich.text import Text

    text = f"{best.medal or 'none'} {best.percent:.0f} %"
    if best.kernel_hash != current_hash:
        return Text(f"{text}, of an older version", style="dim")
    return Text(text, style=_COLORS.get(best.medal or "", ""))
