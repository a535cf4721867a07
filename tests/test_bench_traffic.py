"""test_bench_traffic: the simulator's counts added up, and the inputs worker and parent share."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from camp.bench.cases import BenchCase, load_cases
from camp.bench.data import base_values, rotation, set_values
from camp.bench.traffic import summarize
from camp.errors import UsageError
from camp.spec import list_specs

ROOT = Path(__file__).resolve().parent.parent


def site(kind: str, line: int, **counts: int) -> dict[str, Any]:
    return {"kind": kind, "site": {"file": "kernel.cuh", "line": line}, **counts}


REPORT = {
    "launches": [
        {
            "kernel": "k<float>",
            "count": 2,
            "barriers": 3,
            "sites": [
                site("global_load", 10, requests=4, bytes=512, sectors=16, wavefronts=4),
                site("global_load", 10, requests=4, bytes=512, sectors=128, wavefronts=4),
                site("global_store", 12, requests=2, bytes=256, sectors=8, wavefronts=2),
                site("shared_load", 20, requests=8, bytes=1024, sectors=0, wavefronts=64),
                site("shared_store", 21, requests=2, bytes=1024, sectors=0, wavefronts=8),
            ],
        },
        {"kernel": "fold", "count": 1, "barriers": 0, "sites": []},
    ]
}


def test_totals_of_a_report() -> None:
    traffic = summarize(REPORT, minimum_bytes=1280)
    assert (traffic.launches, traffic.barriers) == (3, 3)
    assert (traffic.global_requests, traffic.global_sectors) == (10, 152)
    assert traffic.moved_bytes == 4864
    assert traffic.over_minimum == pytest.approx(3.8)


def test_bank_conflicts_are_wavefronts_beyond_the_ideal() -> None:
    traffic = summarize(REPORT, minimum_bytes=1280)
    # 8 loads of 128 bytes need 8 passes, 2 stores of 512 bytes need 4 each.
    assert traffic.shared_ideal_wavefronts == 8 + 8
    assert traffic.bank_conflicts == 64 + 8 - 16


def test_one_line_appears_once_and_lines_are_in_order() -> None:
    sites = summarize(REPORT, 1).sites
    assert [(found.line, found.kind) for found in sites] == [
        (10, "global_load"),
        (12, "global_store"),
        (20, "shared_load"),
        (21, "shared_store"),
    ]
    assert (sites[0].requests, sites[0].bytes, sites[0].sectors) == (8, 1024, 144)
    assert sites[0].sectors_per_request == 18.0
    assert sites[0].efficiency == pytest.approx(1024 / 4608)


def test_an_unknown_place_and_an_empty_report_are_fine() -> None:
    report = {"launches": [{"kernel": "k", "sites": [{"kind": "global_load", "site": None}]}]}
    [found] = summarize(report, 0).sites
    assert (found.file, found.line, found.efficiency) == ("", 0, 0.0)
    nothing = summarize({}, 0)
    assert (nothing.launches, nothing.moved_bytes, nothing.over_minimum) == (0, 0, 0.0)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16", "f64", "i32", "i64", "u8"])
def test_sets_are_rotations_of_one_base(dtype: str) -> None:
    case = BenchCase("c", dtype, {"x": (40, 25)})
    base = base_values(case, "x", 7)
    assert set_values(case, "x", 7, 0).tobytes() == base.tobytes()
    offset = rotation(case, "x", 7, 3)
    assert 0 < offset < 1000
    shifted = set_values(case, "x", 7, 3)
    assert shifted.shape == (40, 25)
    assert shifted.reshape(-1)[0] == base[offset]
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
