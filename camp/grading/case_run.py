"""case_run: the steps of one case: create, poison, launch, judge, again under other conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from camp.grading.arena import Bytes, lay_out, view_of
from camp.grading.case import Case, Misuse, Problem
from camp.grading.counting import CountedRun
from camp.grading.diagnose import adds_to_output
from camp.grading.judge import Launch, judge
from camp.grading.launched import order_of_sums, wasted_blocks
from camp.grading.prepared import ArenaTooSmall, CreateRefused, Prepared, Ran, schedule_seeds
from camp.grading.result import CaseResult
from camp.grading.sampled import WINDOW_BYTES, judge_sample, window_of
from camp.grading.verdict import Verdict

if TYPE_CHECKING:
    from camp.grading.grader import Grader

_WORKSPACE_LIMIT_BYTES = 1 << 30
_GPU_RUNS = 20
_REPEATED_ELEMENTS = 1 << 17


class CaseRun:
    """One case on one grader. Both its problems have the same id; their values differ."""

    def __init__(self, grader: Grader, case: Case) -> None:
        self._grader = grader
        self._case = case
        self._problems = [case.draw(case.generator(grader.seed, draw)) for draw in (0, 1)]
        self._expectations = [case.oracle(problem) for problem in self._problems]

    def grade(self) -> CaseResult:
        slots = self._problems if self._case.interleave else self._problems[:1]
        try:
            self._grader.ready(self._arena_bytes(slots))
            try:
                return self._prepared(slots)
            except ArenaTooSmall as small:
                self._grader.ready(small.needed_bytes)
                return self._prepared(slots)
        except CreateRefused as refused:
            if self._case.misuse is not None:
                return self._answered(self._case.misuse, refused.status, str(refused))
            return CaseResult(self._case.id, Verdict.WRONG, str(refused))

    def _arena_bytes(self, slots: Sequence[Problem]) -> int:
        if self._case.most_blocks:
            return WINDOW_BYTES
        return lay_out(slots, [0] * len(slots)).used_bytes

    def _prepared(self, slots: Sequence[Problem]) -> CaseResult:
        case = self._case
        size = WINDOW_BYTES if case.most_blocks else 0
        with Prepared(self._grader, slots, case.cut_after_s, window_bytes=size) as prepared:
            if max(prepared.workspaces) > _WORKSPACE_LIMIT_BYTES:
                text = f"asks for {max(prepared.workspaces)} bytes of workspace; at most 1 GiB"
                return CaseResult(case.id, Verdict.WRONG, text)
            if case.misuse is not None:
                return self._misuse(prepared, case.misuse)
            if case.most_blocks:
                window = window_of(case.generator(self._grader.seed))
                ran = prepared.sample(window, prepared.call(0), case.most_blocks)
                return judge_sample(case.id, ran)
            if case.interleave:
                return self._interleaved(prepared)
            return self._repeated(prepared)

    def _repeated(self, prepared: Prepared) -> CaseResult:
        """The same operator again: other schedules, other poison, at last other values."""
        case = self._case
        notes: list[str] = []
        outputs: list[Bytes] = []
        launches: Sequence[Mapping[str, Any]] = ()
        result = CaseResult(case.id, Verdict.PASS)
        runs = self._runs()
        same_shape = self._problems[0].tensors == self._problems[1].tensors
        for run, seed in enumerate(schedule_seeds(self._grader.seed, case.id, runs)):
            fresh = run >= 2 and run == runs - 1 and same_shape
            image = prepared.image([self._problems[fresh]], run % 2)
            ran = prepared.run(image, [prepared.call(0)], seed=seed, fill=run % 2)
            launch = self._launch(prepared, ran, 0, int(fresh), run % 2)
            result = judge(launch, case.id)
            if not result.passed:
                better = adds_to_output(prepared, launch, result)
                return better or _on_run(result, run, seed, fresh)
            notes += [note for note in result.notes if note not in notes]
            launches = launch.report.launches
            if run == 0:
                notes += wasted_blocks(launches, launch.expectations)
            if run == 0 and case.traffic and self._grader.backend == "sim":
                self._grader.counted = CountedRun(case.id, launch.problem, launches)
            if not fresh:
                outputs.append(_stored(launch))
        if any(not np.array_equal(outputs[0], other) for other in outputs[1:]):
            notes.append(order_of_sums(launches))
        return replace(result, notes=tuple(notes))

    def _runs(self) -> int:
        """A GPU chooses its own order, so that a race shows only now and then."""
        small = self._case.runs > 1 and self._problems[0].elements <= _REPEATED_ELEMENTS
        return _GPU_RUNS if small and self._grader.backend != "sim" else self._case.runs

    def _interleaved(self, prepared: Prepared) -> CaseResult:
        """Two prepared operators on two streams in turn, then in the other order."""
        result = CaseResult(self._case.id, Verdict.PASS)
        for fill, order in enumerate(((0, 1), (1, 0))):
            image = prepared.image(self._problems, fill)
            ran = prepared.run(image, [prepared.call(slot) for slot in order], fill=fill)
            for slot in order:
                result = judge(self._launch(prepared, ran, slot, slot, fill), self._case.id)
                if not result.passed:
                    text = f"two prepared operators took turns; operator {slot + 1}: "
                    return replace(result, message=text + result.message)
        return result

    def _misuse(self, prepared: Prepared, misuse: Misuse) -> CaseResult:
        call = prepared.call(0)
        if misuse.null is not None:
            names = [tensor.name for tensor in self._problems[0].tensors]
            call["pointers"][names.index(misuse.null)] = None
        elif misuse.short_workspace and not call["workspace_bytes"]:
            return CaseResult(self._case.id, Verdict.PASS)  # it asks for none
        elif misuse.short_workspace:
            call["workspace_bytes"] -= 1
        ran = prepared.run(prepared.image(self._problems[:1], 0), [call])
        if not np.array_equal(ran.before, ran.after):
            return CaseResult(self._case.id, Verdict.OOB, "a call to be refused changed memory")
        return self._answered(misuse, ran.status, f"execute answered {ran.status}: {ran.message}")

    def _answered(self, misuse: Misuse, status: str, text: str) -> CaseResult:
        if status == misuse.status:
            return CaseResult(self._case.id, Verdict.PASS)
        return CaseResult(self._case.id, Verdict.WRONG, f"{text}; expected {misuse.status}")

    def _launch(self, prepared: Prepared, ran: Ran, slot: int, pick: int, fill: int) -> Launch:
        return Launch(
            problem=self._problems[pick],
            expectations=self._expectations[pick],
            slot=slot,
            layout=prepared.layout,
            status=ran.status,
            status_message=ran.message,
            report=ran.report,
            before=ran.before,
            after=ran.after,
            fill=fill,
            backend=self._grader.backend,
            may_be_cut=self._case.cut_after_s is not None,
        )


def _on_run(result: CaseResult, run: int, seed: int, fresh: bool) -> CaseResult:
    """Says under which conditions a launch failed when the first one passed."""
    if run == 0:
        return result
    changed = "the same operator with new values" if fresh else "the same values again"
    text = f"run 1 passed, run {run + 1} ({changed}, schedule {seed}): {result.message}"
    return replace(result, message=text)


def _stored(launch: Launch) -> Bytes:
    """All output bytes of a launch."""
    spans: Sequence[Bytes] = [
        view_of(launch.after, span, tensor).copy().reshape(-1).view(np.uint8)
        for tensor, span in launch.layout.tensors.values()
        if tensor.role == "output"
    ]
    return np.concatenate(spans)
