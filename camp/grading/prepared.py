"""prepared: operators created in the worker for one case, and launches of them under poison."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from camp.grading.arena import GUARD_BYTES, Bytes, Layout, build_image, lay_out
from camp.grading.case import Problem
from camp.grading.faults import Report

if TYPE_CHECKING:
    from camp.grading.grader import Grader

_SHARED_POISON = (0xA5, 0x5B)
_CALL_LIMIT_S = 5.0
_GPU_CALL_LIMIT_S = 60.0  # the first call starts the driver
_LAUNCH_BASE_S = 4.0
_LAUNCH_PER_ELEMENT_S = 1e-5  # twenty times what the simulator needs
_AFTER_LAUNCH_S = 2.0
_GPU_AFTER_LAUNCH_S = 10.0  # copies to and fro
# An index that wrapped around in 32 bits misses by 2^32 elements: it must not hit another tensor.
WIDE_GUARD_BYTES = 8 << 32
# Up to here one simulator thread is as fast as all, and the same seed gives the same report.
_ONE_WORKER_ELEMENTS = 1 << 15


class CreateRefused(Exception):
    """create answered something else than SUCCESS."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"create answered {status}: {message}")
        self.status = status


class ArenaTooSmall(Exception):
    """The operator's workspace does not fit beside the tensors."""

    def __init__(self, needed_bytes: int) -> None:
        super().__init__(f"{needed_bytes} bytes needed")
        self.needed_bytes = needed_bytes


@dataclass(frozen=True)
class Ran:
    """One execute request: what was in the arena before and after, what was reported."""

    before: Bytes
    after: Bytes
    status: str
    message: str
    report: Report


class Prepared:
    """One operator per slot, made for the shapes of `problems`. Use as a context manager."""

    def __init__(
        self,
        grader: Grader,
        problems: Sequence[Problem],
        launch_limit_s: float | None = None,
        *,
        window_bytes: int = 0,
    ) -> None:
        """window_bytes: see `sample`; 0 for launches on tensors that lie in the arena whole."""
        self._grader = grader
        self._problems = problems
        self._made = 0
        self._window_bytes = window_bytes
        simulated = grader.backend == "sim"
        self._limit_s = _CALL_LIMIT_S if simulated else _GPU_CALL_LIMIT_S
        self._after_launch_s = _AFTER_LAUNCH_S if simulated else _GPU_AFTER_LAUNCH_S
        elements = sum(problem.elements for problem in problems)
        self._workers = 1 if elements <= _ONE_WORKER_ELEMENTS else 0
        self._launch_limit_s = launch_limit_s or (_LAUNCH_BASE_S + elements * _LAUNCH_PER_ELEMENT_S)
        self.workspaces: list[int] = []
        self.layout = Layout()
        self._kept: dict[int, Bytes] = {}  # what each slot's workspace holds since its last execute

    def __enter__(self) -> Prepared:
        """Creates the operators. Raises CreateRefused."""
        try:
            for slot, problem in enumerate(self._problems):
                self._create(slot, problem)
            guard = WIDE_GUARD_BYTES if self._window_bytes else GUARD_BYTES
            self.layout = lay_out(self._problems, self.workspaces, guard)
            sampled = self._window_bytes + sum(self.workspaces)
            needed = sampled if self._window_bytes else self.layout.used_bytes
            if needed > self._grader.arena.size_bytes:
                raise ArenaTooSmall(needed)
        except (CreateRefused, ArenaTooSmall):
            self._destroy()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:  # after an exception the worker may be gone, and is ended anyway
            self._destroy()

    def _destroy(self) -> None:
        for slot in range(self._made):
            self._grader.ask("destroy", self._limit_s, {}, slot=slot)
        self._made = 0

    def _create(self, slot: int, problem: Problem) -> None:
        tensors = [
            {"dtype": t.dtype, "shape": t.shape, "strides": t.strides} for t in problem.tensors
        ]
        reply = self._grader.ask(
            "create",
            self._limit_s,
            {"status": str, "message": str},
            slot=slot,
            tensors=tensors,
            attributes=dict(problem.attributes),
        )
        self._made = slot + 1
        if reply["status"] != "SUCCESS":
            raise CreateRefused(reply["status"], reply["message"])
        if not isinstance(reply.get("workspace_bytes"), int) or reply["workspace_bytes"] < 0:
            raise CreateRefused("SUCCESS", "without the size of its workspace")
        self.workspaces.append(reply["workspace_bytes"])

    def image(self, problems: Sequence[Problem], fill: int) -> Bytes:
        """Guards, the inputs of these problems (one per slot) and poison in all outputs. Workspaces
        are as their operators left them."""
        inputs = {
            (slot, name): values
            for slot, problem in enumerate(problems)
            for name, values in problem.inputs.items()
        }
        return build_image(self.layout, inputs, fill, self._kept)

    def call(self, slot: int) -> dict[str, Any]:
        """The arguments of one execute as the worker takes them."""
        workspace = self.layout.workspaces.get(slot)
        names = [tensor.name for tensor in self._problems[slot].tensors]
        return {
            "slot": slot,
            "pointers": [self.layout.offset(slot, name) for name in names],
            "workspace": workspace.start if workspace else None,
            "workspace_bytes": workspace.size if workspace else 0,
        }

    def run(
        self, image: Bytes, calls: Sequence[dict[str, Any]], *, seed: int = 0, fill: int = 0
    ) -> Ran:
        """Writes the image, executes the calls in order, reads everything back."""
        arena = self._grader.arena
        arena.write(image)
        reply = self._execute(calls, schedule_seed=seed, poison=_SHARED_POISON[fill])
        after = arena.read(image.size)
        for slot, span in self.layout.workspaces.items():
            self._kept[slot] = after[span.start : span.end]
        return Ran(
            image,
            after,
            reply["status"],
            reply["message"],
            self._grader.report(reply),
        )

    def sample(self, window: Bytes, call: dict[str, Any], most_blocks: int) -> Ran:
        """Executes one call of which only some blocks run, on tensors that repeat `window` (whole
        pages) as often as it takes; a workspace follows the window in the arena."""
        arena = self._grader.arena
        arena.write(window)
        if call["workspace"] is not None:
            call = {**call, "workspace": window.size}
            arena.write(np.zeros(call["workspace_bytes"], np.uint8), window.size)
        reply = self._execute([call], window_bytes=window.size, most_blocks=most_blocks)
        report = self._grader.report(reply)
        return Ran(window, arena.read(window.size), reply["status"], reply["message"], report)

    def _execute(
        self,
        calls: Sequence[dict[str, Any]],
        *,
        schedule_seed: int = 0,
        poison: int = _SHARED_POISON[0],
        window_bytes: int = 0,
        most_blocks: int = 0,
    ) -> dict[str, Any]:
        launch_s = self._launch_limit_s
        return self._grader.ask(
            "execute",
            launch_s + self._after_launch_s,
            {"status": str, "message": str},
            runs=list(calls),
            used_bytes=self.layout.used_bytes,
            schedule_seed=schedule_seed,
            workers=self._workers,
            time_limit_ms=int(1000 * launch_s),
            poison=poison,
            window_bytes=window_bytes,
            spans=[(span.start, span.size) for _, span in self.layout.tensors.values()],
            most_blocks=most_blocks,
        )


def schedule_seeds(seed: int, case_id: str, count: int) -> list[int]:
    """The natural order first, then orders drawn from the parent's seed."""
    import random

    draw = random.Random(f"{seed}:{case_id}")
    return [0, *(draw.getrandbits(63) | 1 for _ in range(count - 1))]


def draw_seed() -> int:
    """A seed that nobody could know beforehand, short enough to type again."""
    return secrets.randbits(32)
