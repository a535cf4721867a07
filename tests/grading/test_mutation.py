"""The cases of every operator must notice each way of not computing the answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from camp.grading.case import Case, Problem
from camp.grading.compare import compare
from camp.grading.dtypes import Array, dtype_of, fill_array, from_float64, to_float64
from camp.grading.suite import load_cases
from camp.grading.verdict import Verdict

ROOT = Path(__file__).resolve().parents[2]
OPERATORS = sorted(path.stem for path in (ROOT / "tests" / "cases").glob("*.py"))
SEED = 20240607

# (right output storage, its dtype, the problem, right output of other values) -> mutated storage
Mutation = Callable[[Array, str, Problem, Array], Array]


def zeros(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    return np.zeros_like(right)


def one_over_columns(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    columns = problem.tensors[-1].shape[-1] if problem.tensors[-1].shape else 1
    return from_float64(np.full(right.shape, 1.0 / max(columns, 1)), dtype)


def input_echo(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    first = next(t for t in problem.tensors if t.role == "input")
    flat = problem.inputs[first.name].reshape(-1)
    return np.resize(flat, right.shape).astype(right.dtype) if flat.size else right.copy()


def previous_answer(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    return previous if previous.shape == right.shape else right.copy()


def last_dropped(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    mutated = right.copy()
    if right.size:
        mutated.reshape(-1)[-1] = 0
    return mutated


def one_duplicated(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    mutated = right.copy()
    if right.size > 1:
        mutated.reshape(-1)[-1] = mutated.reshape(-1)[-2]
    return mutated


def half_rounded(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    shorter = "bf16" if dtype == "f16" else "f16"
    if not dtype_of(dtype).is_float:
        return right.copy()
    rounded = from_float64(to_float64(right, dtype), shorter)
    return from_float64(to_float64(rounded, shorter), dtype)


def all_nan(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    nan = np.full(right.shape, np.nan)
    return from_float64(nan, dtype) if dtype_of(dtype).is_float else right.copy()


def untouched(right: Array, dtype: str, problem: Problem, previous: Array) -> Array:
    return fill_array(right.shape, dtype, 0)


MUTATIONS: list[Mutation] = [zeros, one_over_columns, input_echo, previous_answer, last_dropped,
                             one_duplicated, half_rounded, all_nan, untouched]  # fmt: skip
RIGHT = {("copy", "input_echo")}  # the input is the answer


def sum_of_part(problem: Problem, part: slice | list[int], dtype: str) -> Array:
    x = to_float64(problem.inputs["x"], dtype)
    whole = problem.tensors[0].shape == ()
    x = x.reshape(1, -1) if whole else x.reshape(-1, x.shape[-1])
    total = x[:, part].sum(axis=1) if isinstance(part, slice) else x.sum(axis=1) + x[:, part[0]]
    return from_float64(total.reshape(problem.tensors[0].shape), dtype)


def softmax_of_part(problem: Problem, part: slice, dtype: str) -> Array:
    x = to_float64(problem.inputs["x"], dtype)
    with np.errstate(all="ignore"):
        kept = np.exp(x - x[..., part].max(axis=-1, keepdims=True))
        return from_float64(kept / kept[..., part].sum(axis=-1, keepdims=True), dtype)


@cache
def material(op: str) -> list[tuple[Case, Problem, dict[str, Array], dict[str, Array]]]:
    """Small gradable cases with their right outputs, and those of other values."""
    found = []
    for case in load_cases(ROOT, op):
        if case.misuse or case.marks:
            continue
        problem = case.draw(case.generator(SEED))
        if problem.elements > 100_000:
            continue
        right = {name: e.shown() for name, e in case.oracle(problem).items()}
        other = case.oracle(case.draw(case.generator(SEED, 1)))
        found.append((case, problem, right, {name: e.shown() for name, e in other.items()}))
    return found


def is_accepted(case: Case, problem: Problem, outputs: dict[str, Array]) -> bool:
    fill = {t.name: dtype_of(t.dtype).fills[0] for t in problem.outputs}
    verdicts = [
        compare(expectation, outputs[name], fill[name]).verdict
        for name, expectation in case.oracle(problem).items()
    ]
    return all(verdict is Verdict.PASS for verdict in verdicts)


@pytest.mark.parametrize("op", OPERATORS)
def test_right_outputs_are_accepted(op: str) -> None:
    assert len(material(op)) >= 20
    for case, problem, right, _ in material(op):
        assert is_accepted(case, problem, right), case.id


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.__name__)
@pytest.mark.parametrize("op", OPERATORS)
def test_mutation_is_noticed(op: str, mutation: Mutation) -> None:
    if (op, mutation.__name__) in RIGHT:
        pytest.skip("this mutation is the right answer")
    killers = [
        case.id
        for case, problem, right, previous in material(op)
        if not is_accepted(
            case,
            problem,
            {
                name: mutation(storage, problem.tensor(name).dtype, problem, previous[name])
                for name, storage in right.items()
            },
        )
    ]
    assert killers, f"no case of {op} notices {mutation.__name__}"


@pytest.mark.parametrize("part", ["last element dropped", "first dropped", "last counted twice"])
def test_sums_notice_one_element(part: str) -> None:
    cut: dict[str, slice | list[int]] = {
        "last element dropped": slice(None, -1),
        "first dropped": slice(1, None),
        "last counted twice": [-1],
    }
    tried = 0
    for case, problem, _, _ in material("reduce_sum"):
        if not case.id.startswith("f32-rows") or problem.tensors[1].elements == 0:
            continue
        tried += 1
        assert not is_accepted(case, problem, {"y": sum_of_part(problem, cut[part], "f32")}), (
            case.id
        )
    assert tried > 10


@pytest.mark.parametrize("part", [slice(None, -1), slice(1, None)], ids=["no-last", "no-first"])
def test_spikes_notice_one_column(part: slice) -> None:
    tried = 0
    for case, problem, _, _ in material("softmax"):
        if not re.fullmatch(r"\w+-cols=\d+", case.id) or problem.tensors[0].shape[-1] < 2:
            continue
        tried += 1
        dtype = problem.tensors[0].dtype
        assert not is_accepted(case, problem, {"y": softmax_of_part(problem, part, dtype)}), case.id
    assert tried > 10
