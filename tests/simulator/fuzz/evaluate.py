"""evaluate: what CUDA C++ says an expression, an atomic or a warp operation gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tests.simulator.fuzz.language import (
    I32,
    U32,
    Bin,
    Cast,
    Collective,
    Const,
    Expr,
    Local,
    Number,
    Special,
    Type,
)

BINARY: dict[str, Callable[..., Number]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "%": lambda a, b: a % b,
    "<<": lambda a, b: a << b,
    ">>": lambda a, b: a >> b,
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: a if a > b else b,
    "<": lambda a, b: 1 if a < b else 0,
    "==": lambda a, b: 1 if a == b else 0,
}


def value_of(e: Expr, names: Mapping[str, Number]) -> Number:
    """The value of `e`; `names` holds locals and built-ins."""
    if isinstance(e, (Local, Special)):
        return names[e.name]
    if isinstance(e, Const):
        return e.value
    if isinstance(e, Cast):
        return e.type.wrap(value_of(e.a, names))
    assert isinstance(e, Bin)
    return e.type.wrap(BINARY[e.op](value_of(e.a, names), value_of(e.b, names)))


def after_atomic(op: str, type: Type, old: Number, value: Number, compare: Number) -> Number:
    """What an atomic leaves in memory."""
    if op == "cas":
        return value if old == compare else old
    if op == "exch":
        return value
    name = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^"}.get(op, op)
    return type.wrap(BINARY[name](old, value))


def shuffle_source(op: str, lane: int, argument: int, width: int) -> int:
    """The lane that `lane` reads, by the CUDA programming guide."""
    segment = lane // width * width
    if op == "shfl":
        return segment + argument % width
    if op == "shfl_up":
        source = lane - argument
        return source if source >= segment else lane
    if op == "shfl_down":
        source = lane + argument
        return source if source < segment + width else lane
    source = lane ^ argument
    return source if source < segment + width else lane


def combine(op: str, type: Type, values: dict[int, Number], mask: int) -> dict[int, Number]:
    """Each lane's result of a vote, match or reduction over `values` by lane."""
    lanes = sorted(values)
    if op == "ballot":
        return dict.fromkeys(lanes, sum(1 << lane for lane in lanes if values[lane] != 0))
    if op == "any":
        return dict.fromkeys(lanes, int(any(values.values())))
    if op == "all":
        return dict.fromkeys(lanes, int(all(values.values())))
    if op == "match_any":
        return {
            lane: sum(1 << other for other in lanes if values[other] == values[lane])
            for lane in lanes
        }
    if op == "match_all":
        return dict.fromkeys(lanes, mask if len(set(values.values())) == 1 else 0)
    name = {"reduce_add": "+", "reduce_and": "&", "reduce_or": "|", "reduce_xor": "^"}.get(
        op, op.removeprefix("reduce_")
    )
    result = values[lanes[0]]
    for lane in lanes[1:]:
        result = BINARY[name](result, values[lane])
    return dict.fromkeys(lanes, type.wrap(result))


def result_type(s: Collective) -> Type:
    """The type that the intrinsic returns."""
    assert s.value is not None
    if s.op in ("any", "all"):
        return I32
    if s.op in ("ballot", "match_any", "match_all"):
        return U32
    return s.value.type
