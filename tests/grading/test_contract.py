"""What the worker repeats of the C headers, because it must not load more than it grades."""

from __future__ import annotations

import re
from pathlib import Path

from camp.grading.dtypes import DTYPES as GRADED
from camp.worker import abi

HEADERS = Path(__file__).resolve().parents[2] / "native" / "include" / "operator_runtime"


def enumerators(header: str, prefix: str) -> list[str]:
    """Names of an enumeration, in the order of their values."""
    found = re.findall(rf"\b{prefix}(\w+) = (\d+)", (HEADERS / header).read_text())
    assert [int(value) for _, value in found] == list(range(len(found)))
    return [name for name, _ in found]


def test_statuses_follow_the_header() -> None:
    assert list(abi.STATUSES) == enumerators("status.h", "CAMP_STATUS_")


def test_dtypes_follow_the_header() -> None:
    assert [name.upper() for name in abi.DTYPES] == enumerators("dtype.h", "CAMP_DTYPE_")
    assert set(GRADED) == set(abi.DTYPES)


def test_abi_version_follows_the_header() -> None:
    found = re.search(r"CAMP_ABI_VERSION (\d+)u", (HEADERS / "status.h").read_text())
    assert found is not None
    assert int(found[1]) == abi.ABI_VERSION
