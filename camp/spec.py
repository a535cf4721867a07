"""spec: reads ops/<op>/op.toml, the one source of truth of an operator."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from camp.errors import SpecError, UnknownOperatorError
from camp.medals import MEDALS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DTYPES = ("f32", "f16", "bf16", "f64", "i32", "i64", "u8")
DIFFICULTIES = ("easy", "medium", "hard", "reference")
ROLES = ("input", "output")
ATTRIBUTE_TYPES = ("f64", "i64")

_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_T = TypeVar("_T")


@dataclass(frozen=True)
class TensorSpec:
    """One tensor argument. `shape` names its axes; () is a scalar, ("...",) any shape."""

    name: str
    role: str
    shape: tuple[str, ...]


@dataclass(frozen=True)
class AttributeSpec:
    """A number fixed at create."""

    name: str
    type: str
    default: float | int


@dataclass(frozen=True)
class OpSpec:
    """What op.toml says. Tensors and attributes are in the order of the C functions."""

    id: str
    title: str
    difficulty: str
    concept: str
    order: int
    formula: str
    dtypes: tuple[str, ...]
    tensors: tuple[TensorSpec, ...]
    attributes: tuple[AttributeSpec, ...]
    prerequisites: tuple[str, ...]
    shipped: bool
    flops_per_element: float
    targets: Mapping[str, float]  # medal -> percent of the measured ceiling
    medal_cases: tuple[str, ...]  # benchmark cases that must all reach a target
    folder: Path

    @property
    def kernel(self) -> Path:
        """The learner's file."""
        return self.folder / "nvidia" / "kernel.cuh"

    @property
    def inputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "input")

    @property
    def outputs(self) -> tuple[TensorSpec, ...]:
        return tuple(t for t in self.tensors if t.role == "output")


def operator_ids(root: Path) -> list[str]:
    """Folder names under ops/ that hold an op.toml, in alphabetical order."""
    return sorted(path.parent.name for path in (root / "ops").glob("*/op.toml"))


def require_operator(root: Path, op_id: str) -> str:
    """`op_id` itself, or UnknownOperatorError with the closest names."""
    known = operator_ids(root)
    if op_id in known:
        return op_id
    wanted = op_id.strip().lower().replace("-", "_")
    close = difflib.get_close_matches(wanted, known, n=3, cutoff=0.5)
    close += [name for name in known if name not in close and wanted and name.startswith(wanted)]
    raise UnknownOperatorError(op_id, suggestions=close, known=known)


def load_spec(root: Path, op_id: str) -> OpSpec:
    """The contract of one operator. Raises UnknownOperatorError or SpecError."""
    require_operator(root, op_id)
    path = root / "ops" / op_id / "op.toml"
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{path}: cannot be read: {error}") from error
    return _Reader(path, table).spec()


def list_specs(root: Path) -> list[OpSpec]:
    """Every operator, in teaching order."""
    specs = [load_spec(root, op_id) for op_id in operator_ids(root)]
    return sorted(specs, key=lambda spec: (spec.order, spec.id))


class _Reader:
    """Turns a parsed table into an OpSpec; every refusal names the file and the key."""

    def __init__(self, path: Path, table: Mapping[str, Any]) -> None:
        self.path = path
        self.table = table

    def fail(self, what: str) -> SpecError:
        return SpecError(f"{self.path}: {what}")

    def get(
        self,
        table: Mapping[str, Any],
        key: str,
        kind: type[_T],
        default: _T | None = None,
        *,
        check: Callable[[_T], bool] = lambda value: True,
        expected: str = "",
    ) -> _T:
        value = table.get(key, default)
        if value is None:
            raise self.fail(f"'{key}' is missing")
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.fail(f"'{key}' must be a {kind.__name__}, not {value!r}")
        if not check(value):
            raise self.fail(f"'{key}' is {value!r}; expected {expected}")
        return value

    def strings(self, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        values = self.get(table, key, list)
        if not all(isinstance(value, str) for value in values):
            raise self.fail(f"'{key}' must be a list of strings")
        return tuple(values)

    def choice(self, table: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> str:
        return self.get(
            table, key, str, check=lambda value: value in choices, expected=" | ".join(choices)
        )

    def identifier(self, table: Mapping[str, Any], key: str) -> str:
        return self.get(
            table,
            key,
            str,
            check=lambda value: _ID.match(value) is not None,
            expected="lower_case letters, digits and underscores",
        )

    def spec(self) -> OpSpec:
        table, folder = self.table, self.path.parent
        op_id = self.identifier(table, "id")
        if op_id != folder.name:
            raise self.fail(f"'id' is {op_id!r} but the folder is {folder.name!r}")
        dtypes = self.strings(table, "dtypes")
        unknown = [dtype for dtype in dtypes if dtype not in DTYPES]
        if unknown or not dtypes:
            raise self.fail(f"'dtypes' must name some of {', '.join(DTYPES)}; got {list(dtypes)}")
        tensors = tuple(self.tensor(entry) for entry in self.get(table, "tensors", list))
        if not any(tensor.role == "output" for tensor in tensors):
            raise self.fail("'tensors' needs at least one output")
        attributes = tuple(
            self.attribute(entry) for entry in self.get(table, "attributes", list, [])
        )
        names = [tensor.name for tensor in tensors] + [entry.name for entry in attributes]
        if len(set(names)) != len(names):
            raise self.fail(f"tensor and attribute names repeat: {', '.join(names)}")
        targets = self.get(table, "targets", dict, {})
        foreign = set(targets) - {*MEDALS, "cases"}
        if foreign:
            raise self.fail(f"'targets' holds {', '.join(MEDALS)} and cases, not {min(foreign)!r}")
        return OpSpec(
            id=op_id,
            title=self.get(table, "title", str),
            difficulty=self.choice(table, "difficulty", DIFFICULTIES),
            concept=self.get(table, "concept", str),
            order=self.get(table, "order", int),
            formula=self.get(table, "formula", str),
            dtypes=dtypes,
            tensors=tensors,
            attributes=attributes,
            prerequisites=self.strings(table, "prerequisites") if "prerequisites" in table else (),
            shipped=self.get(table, "shipped", bool, False),
            flops_per_element=self.get(
                self.get(table, "traffic", dict, {}), "flops_per_element", float, 0.0
            ),
            targets={name: self.get(targets, name, float) for name in MEDALS if name in targets},
            medal_cases=self.strings(targets, "cases") if "cases" in targets else (),
            folder=folder,
        )

    def tensor(self, entry: Mapping[str, Any]) -> TensorSpec:
        return TensorSpec(
            name=self.identifier(entry, "name"),
            role=self.choice(entry, "role", ROLES),
            shape=self.strings(entry, "shape"),
        )

    def attribute(self, entry: Mapping[str, Any]) -> AttributeSpec:
        kind = self.choice(entry, "type", ATTRIBUTE_TYPES)
        default: float | int
        if kind == "i64":
            default = self.get(entry, "default", int)
        else:
            default = self.get(entry, "default", float)
        return AttributeSpec(name=self.identifier(entry, "name"), type=kind, default=default)
