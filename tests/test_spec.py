"""op.toml: what is read, and how each mistake is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from camp.errors import SpecError, UnknownOperatorError
from camp.spec import list_specs, load_spec, operator_ids, require_operator

GOOD = """\
id = "scale"
title = "Scale"
difficulty = "easy"
concept = "elementwise"
order = 20
prerequisites = ["copy"]
formula = "y[i] = a * x[i]"
dtypes = ["f32", "bf16"]

[[tensors]]
name = "y"
role = "output"
shape = ["n"]

[[tensors]]
name = "x"
role = "input"
shape = ["n"]

[[attributes]]
name = "a"
type = "f64"
default = 2

[traffic]
flops_per_element = 1

[targets]
cases = ["2^24 f32"]
bronze = 40
gold = 85.5
"""


def write(root: Path, text: str, op: str = "scale") -> Path:
    folder = root / "ops" / op
    folder.mkdir(parents=True)
    (folder / "op.toml").write_text(text, encoding="utf-8")
    return root


def test_reads_every_field(tmp_path: Path) -> None:
    spec = load_spec(write(tmp_path, GOOD), "scale")
    assert (spec.id, spec.title, spec.difficulty, spec.order) == ("scale", "Scale", "easy", 20)
    assert (spec.concept, spec.formula) == ("elementwise", "y[i] = a * x[i]")
    assert spec.dtypes == ("f32", "bf16")
    assert spec.prerequisites == ("copy",)
    assert [(t.name, t.role, t.shape) for t in spec.tensors] == [
        ("y", "output", ("n",)),
        ("x", "input", ("n",)),
    ]
    assert [t.name for t in spec.inputs] == ["x"]
    assert [t.name for t in spec.outputs] == ["y"]
    (attribute,) = spec.attributes
    assert (attribute.name, attribute.type, attribute.default) == ("a", "f64", 2.0)
    assert isinstance(attribute.default, float)
    assert spec.flops_per_element == 1.0
    assert spec.targets == {"bronze": 40.0, "gold": 85.5}
    assert spec.medal_cases == ("2^24 f32",)
    assert spec.shipped is False
    assert spec.kernel == tmp_path / "ops" / "scale" / "nvidia" / "kernel.cuh"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "scale"', 'id = "other"', "'id' is 'other' but the folder is 'scale'"),
        ('id = "scale"', "", "'id' is missing"),
        ('title = "Scale"', "title = 3", "'title' must be a str"),
        ('"easy"', '"trivial"', "easy | medium | hard | reference"),
        ("order = 20", 'order = "first"', "'order' must be a int"),
        ("order = 20", "order = true", "'order' must be a int"),
        ('["f32", "bf16"]', '["f33"]', "'dtypes' must name some of"),
        ('["f32", "bf16"]', "[]", "'dtypes' must name some of"),
        ('name = "x"', 'name = "X-1"', "'name' is 'X-1'"),
        ('name = "x"', 'name = "y"', "names repeat"),
        ('role = "output"', 'role = "input"', "at least one output"),
        ('role = "input"', 'role = "inout"', "input | output"),
        ('shape = ["n"]', 'shape = "n"', "'shape' must be a list"),
        ('type = "f64"', 'type = "f32"', "f64 | i64"),
        ("default = 2", "", "'default' is missing"),
        ("bronze = 40", 'bronze = "most"', "'bronze' must be a float"),
        ("bronze = 40", "tin = 40", "not 'tin'"),
        ('cases = ["2^24 f32"]', "cases = [3]", "'cases' must be a list of strings"),
        ('title = "Scale"', 'title = "Scale', "cannot be read"),
    ],
)
def test_a_mistake_names_the_file_and_the_key(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    assert old in GOOD
    write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(SpecError) as caught:
        load_spec(tmp_path, "scale")
    assert message in caught.value.message
    assert str(tmp_path / "ops" / "scale" / "op.toml") in caught.value.message
    assert caught.value.exit_code == 2


def test_lists_in_teaching_order(tmp_path: Path) -> None:
    for op, order in (("a", 30), ("b", 10), ("c", 10)):
        write(tmp_path, GOOD.replace('"scale"', f'"{op}"').replace("20", str(order)), op)
    (tmp_path / "ops" / "common").mkdir()
    assert [spec.id for spec in list_specs(tmp_path)] == ["b", "c", "a"]
    assert operator_ids(tmp_path) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("sofmax", "softmax"),
        ("Softmax", "softmax"),
        ("reduce-sum", "reduce_sum"),
        ("vec", None),
        ("vector", "vector_add"),
        ("zzz", None),
        ("", None),
    ],
)
def test_suggests_the_closest_name(name: str, suggestion: str | None, tmp_path: Path) -> None:
    for op in ("softmax", "reduce_sum", "vector_add"):
        write(tmp_path, "", op)
    with pytest.raises(UnknownOperatorError) as caught:
        require_operator(tmp_path, name)
    if suggestion:
        assert caught.value.suggestions[0] == suggestion
        assert f"did you mean '{suggestion}'" in caught.value.message
    elif name == "vec":
        assert caught.value.suggestions == ("vector_add",)  # it starts so
    else:
        assert caught.value.suggestions == ()
    assert "reduce_sum, softmax, vector_add" in (caught.value.hint or "")
    assert caught.value.exit_code == 2


def test_the_operators_of_this_clone_are_valid(root: Path) -> None:
    specs = {spec.id: spec for spec in list_specs(root)}
    assert {"copy", "vector_add", "reduce_sum", "softmax", "relu"} <= set(specs)
    assert specs["relu"].shipped
    assert all(set(spec.prerequisites) <= set(specs) for spec in specs.values())
