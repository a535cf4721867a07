"""emit: descriptions as one CUDA program, and the line of every statement."""

from __future__ import annotations

from tests.simulator.fuzz.language import (
    VECTORS,
    Array,
    Atomic,
    Barrier,
    Bin,
    Cast,
    Collective,
    Const,
    Expr,
    Fence,
    If,
    Kernel,
    Let,
    Load,
    Local,
    Loop,
    Return,
    Special,
    Statement,
    Store,
    Type,
)

SPECIALS = {
    "tx": "threadIdx.x", "ty": "threadIdx.y", "tz": "threadIdx.z",
    "bx": "blockIdx.x", "by": "blockIdx.y", "bz": "blockIdx.z",
    "tid": "tid", "lane": "(tid % 32u)", "bid": "bid", "gtid": "gtid", "full": "full",
}  # fmt: skip
BARRIERS = {
    "sync": "__syncthreads",
    "count": "__syncthreads_count",
    "and": "__syncthreads_and",
    "or": "__syncthreads_or",
}
SUFFIX = {"u32": "u", "u64": "ull", "i64": "ll", "f32": "f"}


def literal(const: Const) -> str:
    if const.type.real:
        return f"{float(const.value)!r}" + SUFFIX.get(const.type.name, "")
    return f"{const.value}{SUFFIX.get(const.type.name, '')}"


def unsigned(type: Type) -> str:
    return "unsigned long long" if type.bytes == 8 else "unsigned"


def expression(e: Expr) -> str:
    if isinstance(e, Const):
        return literal(e)
    if isinstance(e, Special):
        return SPECIALS[e.name]
    if isinstance(e, Local):
        return e.name
    if isinstance(e, Cast):
        return f"({e.type.c_name})({expression(e.a)})"
    assert isinstance(e, Bin)
    a, b = expression(e.a), expression(e.b)
    if e.op in ("min", "max"):
        sign = "<" if e.op == "min" else ">"
        return f"({a} {sign} {b} ? {a} : {b})"
    if e.op in ("<", "=="):
        return f"({a} {e.op} {b} ? 1u : 0u)"
    if e.type.kind == "i" and e.op in "+-*":  # signed integers wrap around by way of unsigned
        return f"({e.type.c_name})(({unsigned(e.type)})({a}) {e.op} ({unsigned(e.type)})({b}))"
    return f"({a} {e.op} {b})"


def sum_of(parts: list[str], type: Type) -> str:
    if type.real:
        return " + ".join(parts)
    return f"({type.c_name})(" + " + ".join(f"({unsigned(type)})({p})" for p in parts) + ")"


class Emitter:
    """Collects the lines of one program."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.line_of: dict[Statement, int] = {}

    def put(self, text: str, statement: Statement | None = None) -> None:
        self.lines.append(text)
        if statement is not None:
            self.line_of[statement] = len(self.lines)

    def load(self, s: Load) -> str:
        place = f"{s.array.name}[{expression(s.index)}]"
        type = s.target.type
        if s.width == 1:
            return f"{s.target.name} = ({type.c_name}){place};"
        vector = VECTORS[s.array.type, s.width]
        parts = [f"({type.c_name})q.{c}" for c in "xyzw"[: s.width]]
        return (
            f"{{ const {vector} q = *reinterpret_cast<const {vector} *>(&{place}); "
            f"{s.target.name} = {sum_of(parts, type)}; }}"
        )

    def store(self, s: Store) -> str:
        place = f"{s.array.name}[{expression(s.index)}]"
        element = s.array.type
        value = f"({element.c_name})({expression(s.value)})"
        if s.width == 1:
            return f"{place} = {value};"
        vector = VECTORS[element, s.width]
        parts = [f"({element.c_name})({sum_of([value, str(i)], s.value.type)})"
                 for i in range(s.width)]  # fmt: skip
        return (
            f"{{ const {vector} q = {{{', '.join(parts)}}}; "
            f"*reinterpret_cast<{vector} *>(&{place}) = q; }}"
        )

    def simple(self, s: Statement) -> str:
        if isinstance(s, Let):
            return f"{s.target.name} = {expression(s.value)};"
        if isinstance(s, Load):
            return self.load(s)
        if isinstance(s, Store):
            return self.store(s)
        if isinstance(s, Fence):
            return "__threadfence();"
        if isinstance(s, Return):
            return "return;"
        if isinstance(s, Barrier):
            target = f"{s.target.name} = ({s.target.type.c_name})" if s.target else ""
            predicate = expression(s.predicate) if s.predicate is not None else ""
            return f"{target}{BARRIERS[s.op]}({predicate});"
        if isinstance(s, Atomic):
            name = {"cas": "CAS"}.get(s.op, s.op.capitalize())
            inner = f"{expression(s.compare)}, " if s.compare is not None else ""
            target = f"{s.target.name} = " if s.target else ""
            place = f"&{s.array.name}[{expression(s.index)}]"
            return f"{target}atomic{name}({place}, {inner}{expression(s.value)});"
        assert isinstance(s, Collective)
        if s.op == "syncwarp":
            return f"__syncwarp({expression(s.mask)});"
        assert s.value is not None
        assert s.target is not None
        arguments = [expression(s.mask), expression(s.value)]
        if s.op.startswith("shfl"):
            assert s.argument is not None
            arguments += [expression(s.argument), str(s.width)]
        if s.op == "match_all":
            arguments.append("&same")
        return f"{s.target.name} = ({s.target.type.c_name})__{s.op}_sync({', '.join(arguments)});"

    def block(self, statements: list[Statement], indent: str, apart: bool) -> None:
        for s in statements:
            if isinstance(s, If):
                self.put(f"{indent}if ({expression(s.condition)}) {{", s)
                self.block(s.then, indent + "  ", apart)
                if s.otherwise:
                    self.put(f"{indent}}} else {{")
                    self.block(s.otherwise, indent + "  ", apart)
                self.put(f"{indent}}}")
            elif isinstance(s, Loop):
                v = s.variable.name
                self.put(
                    f"{indent}for ({v} = {expression(s.start)}; {v} < {expression(s.stop)}; "
                    f"{v} += {expression(s.step)}) {{",
                    s,
                )
                self.block(s.body, indent + "  ", apart)
                self.put(f"{indent}}}")
            else:
                self.put(indent + self.simple(s), s)
                if apart:
                    self.put(indent + "apart();")

    def kernel(self, kernel: Kernel) -> None:
        globals_ = [a for a in kernel.arrays if a.space == "global"]
        parameters = ", ".join(f"{a.type.c_name} *{a.name}" for a in globals_)
        self.put(f"__global__ void {kernel.name}({parameters}) {{")
        for array in kernel.arrays:
            if array.space == "shared":
                self.put(
                    f"  __shared__ __align__(16) {array.type.c_name} {array.name}[{array.size}];"
                )
            elif array.space == "dynamic":
                self.put(f"  extern __shared__ __align__(16) {array.type.c_name} {array.name}[];")
        threads = kernel.shape.threads
        self.put(
            "  const unsigned tid = threadIdx.x + blockDim.x * "
            "(threadIdx.y + blockDim.y * threadIdx.z);"
        )
        self.put(
            "  const unsigned bid = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);"
        )
        rest = threads % 32
        last = f"{(1 << rest) - 1:#x}u" if rest else "0xffffffffu"
        self.put(f"  const unsigned gtid = bid * {threads}u + tid;")
        self.put(f"  const unsigned full = tid / 32u == {threads // 32}u ? {last} : 0xffffffffu;")
        self.put("  int same = 0;")
        self.put("  (void)gtid; (void)full; (void)same;")
        for local in kernel.locals:
            self.put(f"  {local.type.c_name} {local.name} = 0;")
        self.block(kernel.body, "  ", kernel.apart)
        self.put("}")

    def runner(self, number: int, kernel: Kernel) -> None:
        self.put(f"static void run_{number}() {{")
        globals_ = [a for a in kernel.arrays if a.space == "global"]
        for a in globals_:
            filled = "false" if a.seed is None else "true"
            self.put(f"  Memory<{a.type.c_name}> {a.name}({a.size}, {filled}, {a.seed or 0});")
        grid, block = (", ".join(map(str, d)) for d in (kernel.shape.grid, kernel.shape.block))
        arguments = ", ".join(f"{a.name}.device" for a in globals_)
        self.put(
            f"  {kernel.name}<<<dim3({grid}), dim3({block}), {kernel.dynamic_bytes}>>>"
            f"({arguments});"
        )
        for a in globals_:
            self.put(f'  {a.name}.show("{a.name}");')
        self.put("}")


def program(kernels: list[Kernel]) -> tuple[str, dict[Statement, int]]:
    """CUDA source that runs every kernel, and the line of each statement."""
    emitter = Emitter()
    emitter.put('#include "fuzz.cuh"')
    for kernel in kernels:
        emitter.kernel(kernel)
    for number, kernel in enumerate(kernels):
        emitter.runner(number, kernel)
    runs = ", ".join(f"run_{number}" for number in range(len(kernels)))
    emitter.put(f"static void (*const runs[])() = {{{runs}}};")
    emitter.put("int main(int argc, char **argv) {")
    emitter.put(f"  return run_all(runs, {len(kernels)}, argc, argv);")
    emitter.put("}")
    return "\n".join(emitter.lines) + "\n", emitter.line_of


def global_arrays(kernel: Kernel) -> list[Array]:
    return [array for array in kernel.arrays if array.space == "global"]
