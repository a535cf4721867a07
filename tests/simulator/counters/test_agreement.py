"""test_agreement: the simulator counts what a GPU counted for the same kernels (measured.json), but
where nvcc's part in the difference is told (differences.toml)."""

from __future__ import annotations

import json
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.simulator.counters import agreement
from tests.simulator.harness import compile_program

KERNELS = agreement.FOLDER / "kernels"
MEASURED = agreement.load_measured()
DIFFERENCES = agreement.load_differences()
EXPECTED = agreement.expected_rows(MEASURED, DIFFERENCES)

Told = dict[str, tuple[int, dict[str, Any]]]


@pytest.fixture(scope="module")
def told(sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Told:
    """Row -> kernels it says it launches, and the simulator's report."""
    folder = tmp_path_factory.mktemp("agreement")

    def run(source: Path) -> str:
        program = compile_program(source, sim_runtime, folder, counted=True)
        done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    rows: Told = {}
    with ThreadPoolExecutor(2) as pool:
        for output in pool.map(run, sorted(KERNELS.glob("*.cu"))):
            for name, count, report in re.findall(r"^(\w+) (\d+) (\{.*\})$", output, re.M):
                assert name not in rows
                rows[name] = int(count), json.loads(report)
    return rows


def test_both_ran_the_same_rows(told: Told) -> None:
    assert sorted(told) == sorted(MEASURED.rows)


@pytest.mark.parametrize("name", MEASURED.rows)
def test_the_simulator_counts_what_a_gpu_counts(told: Told, name: str) -> None:
    count, report = told[name]
    assert report["faults"] == []
    assert sum(launch["count"] for launch in report["launches"]) == count
    assert agreement.simulated_row(report) == EXPECTED[name]


def test_nearly_all_rows_agree_and_each_difference_is_one() -> None:
    named = [name for difference in DIFFERENCES for name in difference.rows]
    assert len(named) == len(set(named)) <= 14
    assert len(MEASURED.rows) >= 250
    for difference in DIFFERENCES:
        assert difference.reason.endswith(".")
        for name in difference.rows:
            for counter, value in difference.simulated.items():
                assert MEASURED.rows[name].get(counter, 0) != value, (name, counter)


def test_the_page_shows_these_numbers() -> None:
    assert agreement.PAGE.read_text() == agreement.page_text()


def test_every_row_is_on_the_page_once() -> None:
    shown = [row for rows in agreement.programs().values() for row in rows]
    assert sorted(shown) == sorted(MEASURED.rows)


def test_the_conditions_are_told() -> None:
    assert set(MEASURED.conditions) == {"device", "driver", "nvcc", "ncu", "date"}
    assert "?" not in MEASURED.conditions.values()
