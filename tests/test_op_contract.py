"""op.toml, the C header and the compiled operator say the same, for every operator."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.native import native
from camp.spec import OpSpec, list_specs

ROOT = Path(__file__).resolve().parent.parent
SPECS = list_specs(ROOT)
C_TYPES = {"f64": "double", "i64": "int64_t"}


def test_there_are_operators() -> None:
    assert len(SPECS) >= 5


def declared(spec: OpSpec, function: str) -> list[str]:
    """The parameters of camp_<op>_<function> in the operator's header, blanks made single."""
    header = ROOT / "native" / "include" / "operator_runtime" / "ops" / f"{spec.id}.h"
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)
    pattern = rf"CAMP_API camp_status_t camp_{spec.id}_{function}\(([^)]*)\);"
    found = re.findall(pattern, text)
    assert len(found) == 1, f"{header}: {function} is declared {len(found)} times"
    return [" ".join(parameter.split()) for parameter in found[0].split(",")]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_create_takes_the_tensors_and_attributes_in_order(spec: OpSpec) -> None:
    assert declared(spec, "create") == [
        "camp_operator_t **op",
        "const camp_handle_t *handle",
        *(f"const camp_tensor_descriptor_t *{tensor.name}" for tensor in spec.tensors),
        *(f"{C_TYPES[attribute.type]} {attribute.name}" for attribute in spec.attributes),
    ]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_execute_takes_the_pointers_in_order(spec: OpSpec) -> None:
    pointers = [
        f"void *{tensor.name}" if tensor.role == "output" else f"const void *{tensor.name}"
        for tensor in spec.tensors
    ]
    start = ["const camp_operator_t *op", "void *workspace", "size_t workspace_bytes"]
    assert declared(spec, "execute") == [*start, *pointers]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_the_compiled_operator_agrees(spec: OpSpec, every_operator: Callable[[str], Path]) -> None:
    folder = every_operator("sim")
    runtime = native.Library(str(folder / "libcamp_runtime.so"))
    library = folder / f"libcamp_op_{spec.id}.so"
    operator = native.Operator(runtime, str(library), spec.id)
    roles = [(tensor.name, tensor.role) for tensor in spec.tensors]
    assert [(name, str(role)) for name, role in operator.tensors] == roles
    attributes = [(entry.name, entry.type, entry.default) for entry in spec.attributes]
    assert [(name, str(kind), value) for name, kind, value in operator.attributes] == attributes


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_every_file_of_the_operator_carries_its_name(spec: OpSpec) -> None:
    wanted = [
        f"ops/{spec.id}/nvidia/kernel.cuh",
        f"ops/{spec.id}/nvidia/{spec.id}_cuda.cu",
        f"camp/ops/{spec.id}.py",
        f"tests/cases/{spec.id}.py",
        f"tests/bench/{spec.id}.py",
        f"tests/op_tests/test_{spec.id}.py",
        f"exercises/{spec.id}/lesson.md",
    ]
    assert [name for name in wanted if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.id)
def test_prerequisites_come_first(spec: OpSpec) -> None:
    order = {other.id: other.order for other in SPECS}
    for name in spec.prerequisites:
        assert order[name] < spec.order
