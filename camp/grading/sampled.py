"""sampled: a launch on more than 2^31 elements, of which a few blocks are run and followed.

The tensors take address space, not memory (camp.worker.wide), so nothing can be said of values.
What shows is where the kernel reaches: an index kept in 32 bits, a grid that wraps around.
"""

from __future__ import annotations

import numpy as np

from camp.grading.arena import Bytes
from camp.grading.judge import blame_overflow, from_fault, unusual_ending
from camp.grading.prepared import Ran
from camp.grading.result import CaseResult
from camp.grading.values import Rng
from camp.grading.verdict import Verdict

WINDOW_BYTES = 4 << 20

# What a block does by itself. Whatever comes of blocks that did not run (values read before they
# were written, waits that never end) says nothing of the kernel.
_OWN_DOING = {
    "out_of_bounds",
    "null_pointer",
    "misaligned",
    "input_write",
    "launch_limit",
    "stack_overflow",
}


def window_of(rng: Rng) -> Bytes:
    """What tensors repeat: random bytes, so that any store changes some."""
    return rng.integers(0, 256, WINDOW_BYTES, dtype=np.uint8)


def judge_sample(case_id: str, ran: Ran) -> CaseResult:
    """The verdict on a sampled launch; `ran` holds the window before and after."""
    report = ran.report
    telling = [fault for fault in report.errors if fault.kind in _OWN_DOING]
    if telling:
        return blame_overflow(from_fault(case_id, telling[0], report.faults))
    if not report.readable or not report.errors:
        unusual = unusual_ending(case_id, ran.status, ran.message, report)
        if unusual is not None:
            return unusual
    overflows = tuple(fault for fault in report.warnings if fault.kind == "integer_overflow")
    if any(fault.kind == "endless_loop" for fault in report.errors):
        note = "stopped after a few seconds of simulation; no fault up to there"
        return CaseResult(case_id, Verdict.PASS, notes=(note,), faults=overflows)
    if np.array_equal(ran.before, ran.after):
        text = "nothing was stored by the first, the last and some other blocks"
        advice = "an int holds no more than 2147483647: keep lengths and grids in int64_t"
        lost = CaseResult(case_id, Verdict.UNWRITTEN, text, advice, faults=overflows)
        return blame_overflow(lost)
    return CaseResult(case_id, Verdict.PASS, faults=overflows)
