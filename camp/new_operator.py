"""new_operator: writes the files of a further elementwise operator; no existing file is changed.

The new operator works at once. docs/how-to-add-an-operator.md says what each file is for, and which
lines to change for a function that a formula of one operation cannot express.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

from camp.errors import StorageError, UsageError
from camp.exercises import scaffold_of, write_file
from camp.spec import list_specs, operator_ids

TEMPLATES = Path(__file__).resolve().parent / "templates" / "operator"

_NAME = re.compile(r"[a-z](?:_?[a-z0-9])*\Z")
_OPERAND = r"\s*([a-z]\w*|[0-9]+(?:\.[0-9]+)?)\s*"
_FORMULA = re.compile(f"{_OPERAND}([-+*/]){_OPERAND}")


def create(
    root: Path, name: str, *, inputs: Sequence[str] = ("x",), formula: str | None = None
) -> list[Path]:
    """Writes the files of operator `name`, y = formula of one or two inputs; returns their paths.

    formula: one operation on inputs and numbers, such as "x * x" or "a - b", for its result is then
    the same in float32 as in the exact reference; default: the inputs added, one alone to itself.
    Raises UsageError for a name, input or formula that is taken or unfit, StorageError when a file
    cannot be written; nothing is left behind then.
    """
    _check_name(root, name)
    _check_inputs(inputs)
    parts = _parse(formula or f"{inputs[0]} + {inputs[-1]}", inputs)
    texts = _texts(root, name, inputs, parts)
    taken = [path for path in texts if path.exists()]
    if taken:
        raise UsageError(f"{taken[0]} exists already; an operator's files are all new")
    written: list[Path] = []
    try:
        for path, text in texts.items():
            write_file(path, text)
            written.append(path)
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written


def _check_name(root: Path, name: str) -> None:
    if not _NAME.match(name):
        raise UsageError(
            f"'{name}' cannot name an operator; use lower-case letters, digits and single "
            "underscores, such as vector_mul"
        )
    if name in operator_ids(root):
        raise UsageError(f"there is an operator '{name}' already")
    if keyword.iskeyword(name) or name.startswith("prepare_"):
        raise UsageError(f"'{name}' has a meaning in Python; camp.{name} could not be called")
    package = root / "camp"
    if (package / name).exists() or (package / f"{name}.py").exists():
        raise UsageError(f"camp.{name} is a module of Camp; choose another name")
    for header in sorted((root / "native" / "include").rglob("*.h")):
        if re.search(rf"\bcamp_{name}_(create|execute|vtable|t)\b", _read(header)):
            raise UsageError(f"camp_{name}_... is taken by {header.name}; choose another name")


def _check_inputs(inputs: Sequence[str]) -> None:
    if not 1 <= len(inputs) <= 2 or len({*inputs, "y"}) != len(inputs) + 1:
        raise UsageError("name one or two inputs, different from each other and from the output y")
    for name in inputs:
        if not _NAME.match(name) or keyword.iskeyword(name):
            raise UsageError(f"'{name}' cannot name an input; use lower-case letters and digits")


def _parse(formula: str, inputs: Sequence[str]) -> tuple[str, str, str]:
    """(operand, operator, operand) of a formula that uses every input and no other name."""
    match = _FORMULA.fullmatch(formula)
    names = {part for part in (match[1], match[3]) if not part[0].isdigit()} if match else set()
    if match is None or names != set(inputs):
        raise UsageError(
            f"'{formula}' must be one operation (+ - * /) on {' and '.join(inputs)}",
            hint="docs/how-to-add-an-operator.md shows how to write any other function",
        )
    return match[1], match[2], match[3]


def _texts(
    root: Path, name: str, inputs: Sequence[str], parts: tuple[str, str, str]
) -> dict[Path, str]:
    values = _values(root, name, inputs, parts)

    def filled(template: str) -> str:
        return Template(_read(TEMPLATES / template)).substitute(values)

    solution = filled("kernel.cuh.in")
    operator, exercise = root / "ops" / name, root / "exercises" / name
    return {
        operator / "op.toml": filled("op.toml.in"),
        operator / "nvidia" / f"{name}_cuda.cu": filled("op_cuda.cu.in"),
        operator / "nvidia" / "kernel.cuh": scaffold_of(solution),
        root / "native/include/operator_runtime/ops" / f"{name}.h": filled("header.h.in"),
        root / "camp" / "ops" / f"{name}.py": filled("api.py.in"),
        exercise / "solution" / "kernel.cuh": solution,
        exercise / "lesson.md": filled("lesson.md.in"),
        exercise / "hints.md": filled("hints.md.in"),
        root / "tests" / "cases" / f"{name}.py": filled("cases.py.in"),
        root / "tests" / "op_tests" / f"test_{name}.py": filled("test.py.in"),
        root / "tests" / "bench" / f"{name}.py": filled("bench.py.in"),
    }


def _values(
    root: Path, name: str, inputs: Sequence[str], parts: tuple[str, str, str]
) -> dict[str, str]:
    """What stands for each ${...} of the templates."""
    camel = "".join(part.capitalize() for part in name.split("_"))
    listed = ", ".join(inputs)
    quoted = ", ".join(f'"{i}"' for i in inputs)
    descriptors = [f"const camp_tensor_descriptor_t *{i}" for i in ("y", *inputs)]
    create = f"camp_status_t camp_{name}_create("
    creating = ["camp_operator_t **op", "const camp_handle_t *handle", *descriptors]
    execute = f"camp_status_t camp_{name}_execute("
    executing = ["const camp_operator_t *op", "void *workspace", "size_t workspace_bytes"]
    executing += ["void *y", *(f"const void *{i}" for i in inputs)]
    roles = ['{"y", CAMP_ROLE_OUTPUT}', *(f'{{"{i}", CAMP_ROLE_INPUT}}' for i in inputs)]
    pointers = [f"args.pointer<const T>({k + 1})" for k in range(len(inputs))]
    return {
        "id": name,
        "ID": name.upper(),
        "Name": camel,
        "title": name.replace("_", " ").capitalize(),
        "order": str(10 + max((spec.order for spec in list_specs(root)), default=0)),
        "formula": " ".join(parts),
        "c_formula": " ".join(_c_operand(part) for part in parts),
        "inputs": listed,
        "first": inputs[0],
        "count": str(len(inputs)),
        "tensor_count": str(len(inputs) + 1),
        "toml_inputs": "".join(
            f'\n[[tensors]]\nname = "{i}"\nrole = "input"\nshape = ["..."]\n' for i in inputs
        ),
        "declare_create": _packed(f"CAMP_API {create}", creating, ");"),
        "declare_execute": _packed(f"CAMP_API {execute}", executing, ");"),
        "define_create": _packed(create, creating, ") {"),
        "define_execute": _packed(execute, executing, ") {"),
        "tensor_specs": _packed(
            "  static constexpr camp_tensor_spec_t tensors[] = {", roles, "};", columns=True
        ),
        "launch_call": _packed(
            f"      launch_{name}<T>(",
            ["args.pointer<T>(0)", *pointers, "plan", "args.stream"],
            ");",
        ),
        "define_launch": _packed(
            f"void launch_{name}(",
            [
                "T *y",
                *(f"const T *{i}" for i in inputs),
                f"const camp::ElementwisePlan<{len(inputs)}> &plan",
                "cudaStream_t stream",
            ],
            ") {",
        ),
        "tensor_references": ", ".join(f"&{i} = t[{k}]" for k, i in enumerate(inputs, 1)),
        "same_dtypes": "\n    ".join(f"camp::require_same_dtype(y, {i});" for i in inputs),
        "kernel_table": "\n".join(
            f"//   {i:<7} broadcasts to y's       T       read once an element of y" for i in inputs
        ),
        "float_parameters": ", ".join(f"float {i}" for i in inputs),
        "py_parameters": ", ".join(f"{i}: Array" for i in inputs),
        "float64_parameters": ", ".join(f"{i}: Float64" for i in inputs),
        "quoted_inputs": quoted + ("," if len(inputs) == 1 else ""),
        "quoted": quoted,
        "bench_values": "\n    ".join(f'{i} = to_float64(inputs["{i}"], dtype)' for i in inputs),
    }


def _c_operand(text: str) -> str:
    """A number as a float constant of C++; anything else as it is."""
    if not text[0].isdigit():
        return text
    return f"{text}f" if "." in text else f"{text}.0f"


def _packed(prefix: str, items: Sequence[str], suffix: str, *, columns: bool = False) -> str:
    """prefix, items and suffix in lines of at most 100 columns, aligned as clang-format does; with
    `columns` an item a line, unless one line holds them all."""
    whole = prefix + ", ".join(items) + suffix
    if len(whole) <= 100:
        return whole
    if columns and len(whole) - len(prefix) + 6 <= 100:
        return f"{prefix}\n{' ' * 6}{whole[len(prefix) :]}"
    lines = [prefix + items[0]]
    for item in items[1:]:
        longer = f"{lines[-1]}, {item}"
        behind = len(suffix) if item is items[-1] else 1  # else a comma
        if columns or len(longer) + behind > 100:
            lines[-1] += ","
            lines.append(" " * len(prefix) + item)
        else:
            lines[-1] = longer
    return "\n".join(lines) + suffix


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror or error}") from error
