"""test_shim_values: numbers from the simulator's half, bfloat16 and mathematical functions.

The oracles are numpy, ml_dtypes and exact fractions; conformance/ has a GPU's own results.
"""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from camp.toolchain import require_cxx
from tests.simulator.harness import ROOT

HERE = Path(__file__).parent / "shim"
INCLUDE = ROOT / "native/sim/include"
DTYPES = {"half": np.dtype(np.float16), "bfloat16": np.dtype(ml_dtypes.bfloat16)}
FORMATS = sorted(DTYPES)


def _compile(source: str, output: Path) -> Path:
    subprocess.run(
        [str(require_cxx()), "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}",
         "-x", "c++", str(HERE / source), "-o", str(output)],
        check=True,
    )  # fmt: skip
    return output


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _compile("float16.cc", tmp_path_factory.mktemp("float16") / "float16")


def _run(program: Path, function: str, name: str, values: NDArray[np.generic]) -> bytes:
    return subprocess.run(
        [program, function, name], input=values.tobytes(), capture_output=True, check=True
    ).stdout


def _bits(
    program: Path, function: str, name: str, values: NDArray[np.generic]
) -> NDArray[np.uint16]:
    return np.frombuffer(_run(program, function, name, values), np.uint16)


def _assert_same(actual: NDArray[np.uint16], expected: NDArray[np.generic]) -> None:
    """Equal bits, zeros' signs included; any NaN equals the GPU's one NaN."""
    with np.errstate(invalid="ignore"):  # of signalling NaN
        is_nan = np.isnan(expected)
    assert np.all(actual[is_nan] == 0x7FFF)
    wrong = np.flatnonzero(~is_nan & (actual != expected.view(np.uint16)))
    assert wrong.size == 0, f"index {wrong[0]}: {actual[wrong[0]]:#x}, not {expected[wrong[0]]}"


def _interesting_floats(dtype: np.dtype[np.generic]) -> NDArray[np.float32]:
    """Every value of the format, the midpoints of neighbours, both sides of each, and noise."""
    every = np.arange(0x7F80 if dtype != np.float16 else 0x7C00, dtype=np.uint16)
    grid = every.view(dtype).astype(np.float64)
    middles = ((grid[:-1] + grid[1:]) / 2).astype(np.float32)
    around = [
        grid.astype(np.float32),
        middles,
        np.nextafter(middles, np.float32(np.inf)),
        np.nextafter(middles, np.float32(0)),
    ]
    noise = np.random.default_rng(7).integers(0, 1 << 32, 200_000, dtype=np.uint32)
    edges = np.array([0, np.inf, np.nan, 65519.996, 65520, 3.3961776e38, 3.4028235e38], np.float32)
    positive = np.concatenate([*around, noise.view(np.float32), edges])
    return np.concatenate([positive, -positive])


@pytest.mark.parametrize("name", FORMATS)
def test_every_value_to_float(program: Path, name: str) -> None:
    every = np.arange(1 << 16).astype(np.uint16)
    actual = np.frombuffer(_run(program, "to_float", name, every), np.float32)
    expected = every.view(DTYPES[name]).astype(np.float32)
    assert np.array_equal(actual, expected, equal_nan=True)
    assert np.array_equal(np.signbit(actual)[expected == 0], np.signbit(expected)[expected == 0])


@pytest.mark.parametrize("name", FORMATS)
def test_every_value_survives_a_round_trip(program: Path, name: str) -> None:
    every = np.arange(1 << 16).astype(np.uint16)
    floats = np.frombuffer(_run(program, "to_float", name, every), np.float32)
    _assert_same(_bits(program, "from_float", name, floats), every.view(DTYPES[name]))


@pytest.mark.parametrize("name", FORMATS)
def test_floats_round_to_nearest_even(program: Path, name: str) -> None:
    floats = _interesting_floats(DTYPES[name])
    with np.errstate(over="ignore", invalid="ignore"):
        expected = floats.astype(DTYPES[name])
    _assert_same(_bits(program, "from_float", name, floats), expected)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("direction", ["_rz", "_rd", "_ru"])
def test_directed_rounding(program: Path, name: str, direction: str) -> None:
    """The result is the neighbour on the demanded side, found among all values of the format."""
    dtype = DTYPES[name]
    floats = _interesting_floats(dtype)
    floats = floats[np.isfinite(floats)]
    bits = _bits(program, direction, name, floats)
    results = bits.view(dtype).astype(np.float64)
    every = np.arange(1 << 16).astype(np.uint16).view(dtype)
    with np.errstate(invalid="ignore"):  # of signalling NaN
        grid = np.unique(every[~np.isnan(every)].astype(np.float64))
    exact = floats.astype(np.float64)
    below = grid[np.searchsorted(grid, exact, side="right") - 1]
    above = grid[np.searchsorted(grid, exact, side="left")]
    toward_zero = np.where(exact >= 0, below, above)
    expected = {"_rz": toward_zero, "_rd": below, "_ru": above}[direction]
    assert np.array_equal(results, expected)


def _nearest(value: Fraction, dtype: np.dtype[np.generic]) -> float:
    """`value` rounded once, to nearest even, by exact arithmetic."""
    digits, lowest, highest = (11, -24, 16) if dtype == np.float16 else (8, -133, 128)
    if value == 0:
        return 0.0
    magnitude = abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** max(exponent - digits + 1, lowest)
    rounded = round(magnitude / unit) * unit  # Fraction rounds half to even
    result = float("inf") if rounded >= Fraction(2) ** highest else float(rounded)
    return result if value > 0 else -result


def _triples(dtype: np.dtype[np.generic], count: int) -> Iterator[tuple[int, int, int]]:
    """Finite values, a third of them such that the sum is near a midpoint of the format."""
    choose = random.Random(11)
    top = 0x7C00 if dtype == np.float16 else 0x7F80
    for index in range(count):
        a, b, c = (choose.randrange(top) | choose.choice((0, 0x8000)) for _ in range(3))
        if index % 3 == 0:
            middle = 0x3C00 if dtype == np.float16 else 0x3F80
            a, b = (middle + choose.randrange(-64, 64) for _ in range(2))
            c = middle + choose.randrange(-600, 600)
        if index % 3 == 1:
            c = choose.randrange(256) | choose.choice((0, 0x8000))
        yield a, b, c


@pytest.mark.parametrize("name", FORMATS)
def test_fused_multiply_add_rounds_once(program: Path, name: str) -> None:
    dtype = DTYPES[name]
    triples = np.array(list(_triples(dtype, 12_000)), np.uint16)
    actual = _bits(program, "fma", name, triples).view(dtype).astype(np.float64)
    values = triples.view(dtype).astype(np.float64)
    for row, result in zip(values, actual, strict=True):
        a, b, c = map(Fraction, row)
        assert _nearest(a * b + c, dtype) == result, row


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("function", ["add", "mul", "div"])
def test_arithmetic_rounds_once(program: Path, name: str, function: str) -> None:
    dtype = DTYPES[name]
    pairs = np.array(list(_triples(dtype, 6_000)), np.uint16)[:, :2].copy()
    actual = _bits(program, function, name, pairs).view(dtype).astype(np.float64)
    values = pairs.view(dtype).astype(np.float64)
    for row, result in zip(values, actual, strict=True):
        a, b = map(Fraction, row)
        if function == "div" and b == 0:
            continue
        exact = {"add": a + b, "mul": a * b, "div": a / b if b else a}[function]
        assert _nearest(exact, dtype) == result, row


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", ["from_double", "from_long"])
def test_wider_sources_round_once(program: Path, name: str, source: str) -> None:
    """Values that a detour over float would round twice."""
    dtype = DTYPES[name]
    choose = random.Random(5)
    values: list[int] | list[float]
    if source == "from_long":
        values = [choose.randrange(-(1 << bits), 1 << bits) for bits in range(1, 64)] * 50
        values += [(1 << 62) + (1 << 54) + 1, (1 << 62) + (1 << 54), -(1 << 63), 2049, 2051]
        raw = np.array(values, np.int64)
    else:
        grid = np.arange(0x100, 0x7B00, 7, dtype=np.uint16).view(dtype).astype(np.float64)
        steps = np.diff(np.arange(0x100, 0x7B01, 7, dtype=np.uint16).view(dtype).astype(np.float64))
        middles = grid + 0.0
        middles[: steps.size] += steps / 14
        values = [float(v * (1 + e)) for v in middles for e in (0, 2.0**-50, -(2.0**-50), 2.0**-30)]
        raw = np.array(values, np.float64)
    actual = _bits(program, source, name, raw).view(dtype).astype(np.float64)
    for value, result in zip(values, actual, strict=True):
        assert _nearest(Fraction(value), dtype) == result, value
