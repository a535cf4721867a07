"""language: the small kernels that the fuzz writes, as data.

A kernel is arrays, a shape and a tree of statements; every memory access and every
synchronisation is a statement of its own, so that a line of the emitted CUDA names one.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import TypeAlias

Number: TypeAlias = int | float


@dataclass(frozen=True)
class Type:
    """A scalar type of CUDA C++."""

    name: str
    c_name: str
    bytes: int
    kind: str  # "u", "i" or "f"

    @property
    def real(self) -> bool:
        return self.kind == "f"

    def wrap(self, value: Number) -> Number:
        """`value` converted as C++ does: integers modulo, reals rounded."""
        if self.real:
            return ctypes.c_float(value).value if self.bytes == 4 else float(value)
        bits = int(value) & ((1 << 8 * self.bytes) - 1)
        negative = self.kind == "i" and bits >> (8 * self.bytes - 1)
        return bits - (1 << 8 * self.bytes) if negative else bits


U8 = Type("u8", "unsigned char", 1, "u")
I16 = Type("i16", "short", 2, "i")
U16 = Type("u16", "unsigned short", 2, "u")
I32 = Type("i32", "int", 4, "i")
U32 = Type("u32", "unsigned", 4, "u")
I64 = Type("i64", "long long", 8, "i")
U64 = Type("u64", "unsigned long long", 8, "u")
F32 = Type("f32", "float", 4, "f")
F64 = Type("f64", "double", 8, "f")
STORED = (U8, I16, U16, I32, U32, I64, U64, F32, F64)
COMPUTED = (I32, U32, I64, U64, F32, F64)
# CUDA's vector types, by (scalar, elements).
VECTORS = {
    (U8, 2): "uchar2", (U8, 4): "uchar4", (I16, 2): "short2", (I16, 4): "short4",
    (U16, 2): "ushort2", (U16, 4): "ushort4", (I32, 2): "int2", (I32, 4): "int4",
    (U32, 2): "uint2", (U32, 4): "uint4", (I64, 2): "longlong2", (U64, 2): "ulonglong2",
    (F32, 2): "float2", (F32, 4): "float4", (F64, 2): "double2",
}  # fmt: skip


@dataclass(frozen=True)
class Array:
    """Memory of the kernel: `space` is global, shared or dynamic."""

    name: str
    space: str
    type: Type
    size: int
    seed: int | None = None  # of its first contents; None: nothing has written it

    @property
    def shared(self) -> bool:
        return self.space != "global"


def first_value(seed: int, index: int, type: Type) -> Number:
    """What the host puts into element `index` before the launch."""
    mixed = (index * 2654435761 + seed * 40503 + 12345) & 0xFFFFFFFF
    return type.wrap((mixed >> 9) % 61 - (20 if type.kind != "u" else 0))


# ---- expressions: free of side effects ----


@dataclass(frozen=True)
class Const:
    type: Type
    value: Number


@dataclass(frozen=True)
class Special:
    """A built-in as unsigned: tid, tx, ty, tz, lane, bid, bx, by, bz, gtid or full (mask)."""

    name: str
    type: Type = U32


@dataclass(frozen=True)
class Local:
    name: str
    type: Type


@dataclass(frozen=True)
class Bin:
    """+ - * & | ^ min max, % << >> by a constant (unsigned only), < == (0 or 1 as unsigned)."""

    op: str
    a: Expr
    b: Expr

    @property
    def type(self) -> Type:
        return U32 if self.op in ("<", "==") else self.a.type


@dataclass(frozen=True)
class Cast:
    type: Type
    a: Expr


Expr: TypeAlias = Special | Const | Local | Bin | Cast


def const(value: int) -> Const:
    return Const(U32, value)


def convert(type: Type, a: Expr) -> Expr:
    """`a` as `type`; an integer becomes a small real, so that sums of them stay exact."""
    if a.type == type:
        return a
    if type.real and not a.type.real:
        small = Bin("&", a, Const(a.type, 15))
        return Cast(type, small)
    if not type.real and a.type.real:
        return Cast(type, Bin("<", Const(a.type, 0.0), a))
    return Cast(type, a)


# ---- statements: compared by identity, as each has its own line ----


@dataclass(eq=False)
class Statement:
    pass


@dataclass(eq=False)
class Let(Statement):
    target: Local
    value: Expr


@dataclass(eq=False)
class Load(Statement):
    """`width` elements in one access; the target gets their sum."""

    target: Local
    array: Array
    index: Expr
    width: int = 1


@dataclass(eq=False)
class Store(Statement):
    """Element i of the vector gets value + i."""

    array: Array
    index: Expr
    value: Expr
    width: int = 1


@dataclass(eq=False)
class Atomic(Statement):
    """add min max and or xor exch, or cas with `compare`; the target gets the value before."""

    op: str
    array: Array
    index: Expr
    value: Expr
    target: Local | None = None
    compare: Expr | None = None


@dataclass(eq=False)
class Collective(Statement):
    """syncwarp; shfl shfl_up shfl_down shfl_xor; ballot any all; match_any match_all;
    reduce_add reduce_min reduce_max reduce_and reduce_or reduce_xor."""

    op: str
    mask: Expr
    value: Expr | None = None
    target: Local | None = None
    argument: Expr | None = None
    width: int = 32


@dataclass(eq=False)
class Barrier(Statement):
    """sync, or count, and, or with a predicate."""

    op: str = "sync"
    predicate: Expr | None = None
    target: Local | None = None


@dataclass(eq=False)
class Fence(Statement):
    pass


@dataclass(eq=False)
class If(Statement):
    condition: Expr
    then: list[Statement]
    otherwise: list[Statement] = field(default_factory=list)


@dataclass(eq=False)
class Loop(Statement):
    """for (unsigned variable = start; variable < stop; variable += step)"""

    variable: Local
    start: Expr
    stop: Expr
    step: Expr
    body: list[Statement]


@dataclass(eq=False)
class Return(Statement):
    pass


@dataclass(frozen=True)
class Shape:
    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    @property
    def blocks(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]


@dataclass(eq=False)
class Kernel:
    name: str
    shape: Shape
    arrays: list[Array]
    locals: list[Local]
    body: list[Statement]
    apart: bool = True  # keep the compiler from joining the accesses of two statements

    @property
    def dynamic_bytes(self) -> int:
        return sum(a.size * a.type.bytes for a in self.arrays if a.space == "dynamic")
