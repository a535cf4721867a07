"""test_inputs: the cases of benchmarks, and the inputs that worker and parent share."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import camp.bench.data as data
from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import base_values, rotation, set_values
from camp.errors import UsageError
from camp.spec import list_specs

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f64", "i32", "i64", "u8"])
def test_sets_are_rotations_of_one_base(dtype: str) -> None:
    case = BenchCase("c", dtype, {"x": (40, 25)})
    base = base_values(case, "x", 7)
    assert set_values(case, "x", 7, 0).tobytes() == base.tobytes()
    offset = rotation(case, "x", 7, 3)
    assert 0 < offset < 1000
    shifted = set_values(case, "x", 7, 3)
    assert shifted.shape == (40, 25)
    assert (shifted.reshape(-1)[500:] == np.roll(base, -offset)[500:]).all()
    assert len(np.unique(base)) > 80  # no constant, which would hide a wrong element


def test_inputs_depend_on_seed_and_tensor() -> None:
    case = BenchCase("c", "f32", {"a": (100,), "b": (100,)})
    assert (base_values(case, "a", 1) == base_values(case, "a", 1)).all()
    assert (base_values(case, "a", 1) != base_values(case, "a", 2)).any()
    assert (base_values(case, "a", 1) != base_values(case, "b", 1)).any()


def test_minimum_bytes_count_every_tensor_once() -> None:
    case = BenchCase("c", "bf16", {"y": (8,), "x": (8, 100)})
    assert case.minimum_bytes == (8 + 800) * 2


def test_every_operator_has_cases_that_fit_its_contract() -> None:
    specs = list_specs(ROOT)
    assert specs
    for spec in specs:
        module = load_cases(ROOT, spec.id)
        for case in [*module.CASES, *module.SIM_CASES]:
            assert list(case.shapes) == [tensor.name for tensor in spec.tensors], spec.id
            assert case.dtype in spec.dtypes
            assert set(case.attributes) <= {attribute.name for attribute in spec.attributes}
        names = [case.name for case in module.CASES]
        assert len(names) == len(set(names)) > 0
        assert module.SIM_CASES


def test_a_missing_module_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no benchmark of 'nothing'"):
        load_cases(tmp_path, "nothing")


def test_large_tensors_repeat_a_prime_number_of_values() -> None:
    assert all(data.PERIOD % divisor for divisor in range(2, math.isqrt(data.PERIOD) + 1))
    case = BenchCase("c", "f32", {"x": (data.PERIOD + data.HEAD + 5,)})
    values = set_values(case, "x", 7, 3)
    assert (values[data.PERIOD + data.HEAD :] == values[data.HEAD :][:5]).all()
    assert len(base_values(case, "x", 7)) == data.PERIOD


@pytest.mark.parametrize("exponent", [20, 23])
def test_the_sum_of_a_set_is_not_that_of_another(exponent: int) -> None:
    """Else a kernel could keep the answer of its first call; rotations alone have equal sums."""
    case = BenchCase("c", "f32", {"x": (2**exponent,)})
    sums = [float(set_values(case, "x", 7, index).sum(dtype=np.float64)) for index in range(4)]
    apart = [abs(a - b) for number, a in enumerate(sums) for b in sums[:number]]
    assert min(apart) > 1.0  # of a float32 sum near 1,000; its rounding is below 0.001


def test_the_signs_of_a_set_are_those_of_its_head_alone() -> None:
    case = BenchCase("c", "bf16", {"x": (3 * data.HEAD,)})
    base = base_values(case, "x", 7)
    turned = np.roll(base, -rotation(case, "x", 7, 2))
    values = set_values(case, "x", 7, 2)
    assert (values & 0x7FFF == turned & 0x7FFF).all()
    assert (values[data.HEAD :] == turned[data.HEAD :]).all()
    negative = values[: data.HEAD] >> 15
    assert (np.sort(negative) == negative).all()
    assert 0 < negative.sum() < data.HEAD
