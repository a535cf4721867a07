"""verdict: the words a grade can be, and which of several speaks first."""

from __future__ import annotations

from enum import Enum


class Verdict(str, Enum):
    """What is said of a case or of a whole check. The value is the word shown and stored."""

    PASS = "PASS"
    WRONG = "WRONG"
    UNWRITTEN = "UNWRITTEN"
    OOB = "OOB"
    MISALIGNED = "MISALIGNED"
    UNINIT = "UNINIT"
    RACE = "RACE"
    SYNC = "SYNC"
    LAUNCH = "LAUNCH"
    HANG = "HANG"
    CRASH = "CRASH"
    PRECISION = "PRECISION"
    SPECIAL = "SPECIAL"
    BUILD = "BUILD"
    NOT_STARTED = "NOT_STARTED"

    @property
    def exit_code(self) -> int:
        """The exit code of `camp check` for this word: 0 pass, 3 build failed, else 1."""
        if self is Verdict.PASS:
            return 0
        return 3 if self is Verdict.BUILD else 1


# Of several faults in one launch the earlier in this list is the cause to fix first: a launch that
# never ran explains everything, a stray access explains a race or a wrong value, and so on.
CAUSE_ORDER: tuple[Verdict, ...] = (
    Verdict.LAUNCH,
    Verdict.CRASH,
    Verdict.OOB,
    Verdict.MISALIGNED,
    Verdict.SYNC,
    Verdict.UNINIT,
    Verdict.RACE,
    Verdict.HANG,
)


def cause_rank(verdict: Verdict) -> int:
    """The place of a fault's word in CAUSE_ORDER; words that are no fault come last."""
    return CAUSE_ORDER.index(verdict) if verdict in CAUSE_ORDER else len(CAUSE_ORDER)
