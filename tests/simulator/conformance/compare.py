"""compare: two outputs of a conformance program, line by line, within each feature's bound."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Feature:
    """What one feature printed: how near a result must be, and its numbers in hexadecimal."""

    bound: str
    words: tuple[str, ...]


def parse(text: str) -> dict[str, Feature]:
    """Features by name. Comments and the simulator's report are no features.

    Raises ValueError where a name comes twice.
    """
    features: dict[str, Feature] = {}
    for line in text.splitlines():
        if line.startswith("#") or line.count("\t") != 2:
            continue
        name, bound, words = line.split("\t")
        if name in features:
            raise ValueError(f"two features are called {name}")
        features[name] = Feature(bound, tuple(words.split()))
    return features


def differences(actual: dict[str, Feature], expected: dict[str, Feature]) -> list[str]:
    """One sentence for each feature that is missing, new or different; empty where all agree."""
    return list(_differences(actual, expected))


def _differences(actual: dict[str, Feature], expected: dict[str, Feature]) -> Iterator[str]:
    for name in sorted(expected.keys() - actual.keys()):
        yield f"{name}: the simulator's program does not print it"
    for name in sorted(actual.keys() - expected.keys()):
        yield f"{name}: nothing is recorded of it; run record.py on a GPU"
    for name, feature in expected.items():
        if name not in actual:
            continue
        mine = actual[name]
        if mine.bound != feature.bound or len(mine.words) != len(feature.words):
            yield f"{name}: the program has changed since it was recorded; run record.py on a GPU"
            continue
        for index, (a, b) in enumerate(zip(mine.words, feature.words, strict=True)):
            if a != b and not _near(a, b, feature.bound):
                yield f"{name}: value {index} is {a}, on a GPU {b} (allowed: {feature.bound})"
                break


def _near(a: str, b: str, bound: str) -> bool:
    if bound == "=" or len(a) != len(b):
        return False
    kind, amount = bound.split()
    width = 4 * len(a)
    if kind == "abs":
        return abs(_number(a) - _number(b)) <= float(amount)
    if kind == "ulp16":  # two 16-bit numbers in a word
        return _near(a[:4], b[:4], f"ulp {amount}") and _near(a[4:], b[4:], f"ulp {amount}")
    return abs(_rank(int(a, 16), width) - _rank(int(b, 16), width)) <= int(amount)


def _number(word: str) -> float:
    value: float = struct.unpack(">f" if len(word) == 8 else ">d", bytes.fromhex(word))[0]
    return value


def _rank(bits: int, width: int) -> int:
    """Neighbouring floating-point numbers have neighbouring ranks, across zero too."""
    sign = 1 << (width - 1)
    return bits if bits < sign else sign - bits
