"""Guard zones, poison and strided tensors in the memory shared with a worker."""

from __future__ import annotations

import numpy as np
import pytest

from camp.grading.arena import (
    ALIGNMENT,
    GUARD_BYTES,
    Arena,
    build_image,
    find_stray,
    lay_out,
    view_of,
)
from camp.grading.case import Problem, Tensor
from camp.grading.dtypes import bits_of, dtype_of

Y = Tensor("y", "output", "f32", (3, 4), strides=(6, 1), offset=3)
X = Tensor("x", "input", "f32", (3, 4), offset=1)
VALUES = np.arange(12, dtype=np.float32).reshape(3, 4)
PROBLEM = Problem((Y, X), {"x": VALUES})


def image(fill: int = 0) -> np.ndarray:
    return build_image(LAYOUT, {(0, "x"): VALUES}, fill)


LAYOUT = lay_out([PROBLEM], [100])


def test_offsets_count_elements_past_a_boundary() -> None:
    for name, elements in (("y", 3), ("x", 1)):
        assert LAYOUT.offset(0, name) % ALIGNMENT == 4 * elements
    assert LAYOUT.workspaces[0].start % ALIGNMENT == 0


def test_spans_are_apart_by_a_guard_zone() -> None:
    spans = sorted(LAYOUT.spans, key=lambda span: span.start)
    ends = [0, *(span.end for span in spans)]
    starts = [*(span.start for span in spans), LAYOUT.used_bytes]
    assert len(spans) == 3
    assert all(start - end >= GUARD_BYTES for end, start in zip(ends, starts, strict=True))


@pytest.mark.parametrize("fill", [0, 1])
def test_image_holds_inputs_and_poison(fill: int) -> None:
    made = image(fill)
    np.testing.assert_array_equal(view_of(made, LAYOUT.tensors[0, "x"][1], X), VALUES)
    stored = bits_of(view_of(made, LAYOUT.tensors[0, "y"][1], Y).copy(), "f32")
    assert (stored == dtype_of("f32").fills[fill]).all()


def test_outputs_and_workspace_may_change() -> None:
    after = image()
    view_of(after, LAYOUT.tensors[0, "y"][1], Y)[...] = 7
    after[LAYOUT.workspaces[0].start : LAYOUT.workspaces[0].end] = 1
    assert find_stray(LAYOUT, image(), after) is None


@pytest.mark.parametrize(
    ("at", "span", "inside", "distance", "before"),
    [
        (LAYOUT.offset(0, "y") - 1, "y", False, 1, True),
        (LAYOUT.tensors[0, "y"][1].end, "y", False, 0, False),
        (LAYOUT.offset(0, "y") + 16, "y", True, 16, False),  # the gap after the first row
        (LAYOUT.offset(0, "x") + 5, "x", True, 5, False),
        (LAYOUT.workspaces[0].end + 2, "workspace", False, 2, False),
        (LAYOUT.used_bytes - 1, "workspace", False, None, False),
    ],
)
def test_stray_bytes_are_found(
    at: int, span: str, inside: bool, distance: int | None, before: bool
) -> None:
    after = image()
    after[at] ^= 0x10
    stray = find_stray(LAYOUT, image(), after)
    assert stray is not None
    assert (stray.span, stray.inside, stray.before, stray.count) == (span, inside, before, 1)
    assert distance is None or stray.distance_bytes == distance


def test_what_was_read_does_not_change_any_more() -> None:
    arena = Arena(1 << 20)
    try:
        arena.write(image())
        seen = arena.read(LAYOUT.used_bytes)
        arena.write(image(1))
        np.testing.assert_array_equal(seen, image())
    finally:
        arena.close()
