"""test_read: hand-written reports added up by kernel and line, and reports out of form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from camp.counters.counts import Place
from camp.counters.document import document
from camp.counters.lines import lines
from camp.counters.model import TensorBytes
from camp.counters.read import read_counters

from .reports import FILE, TENSORS, branch, coalesced, counters, launch, shared, site


def test_totals_against_the_minimum() -> None:
    found = counters(
        launch(coalesced("global_load", 10, 32), coalesced("global_store", 11, 32)),
        launch(site("global_load", 20, 4, sectors=128, ideal_sectors=16), kernel="fold"),
    )
    assert found.minimum_bytes == 8192
    assert (found.in_global.requests, found.in_global.sectors) == (68, 384)
    assert found.in_global.moved_bytes == 384 * 32
    assert found.over_minimum == pytest.approx(1.5)
    assert found.in_global.excess_sectors == 112


def test_bank_conflicts_are_wavefronts_beyond_the_ideal() -> None:
    found = counters(launch(shared("shared_load", 20, 8, ways=8), shared("shared_store", 21, 2)))
    assert found.in_shared.bank_conflicts == 56
    assert found.in_shared.per_request(found.in_shared.wavefronts) == pytest.approx(6.6)


def test_without_ideals_the_fewest_units_for_the_bytes_are_taken() -> None:
    """Two stores of 512 bytes need 4 passes each; a load in which all lanes share a word needs 1
    sector, though its lanes ask for 128 bytes."""
    found = counters(
        launch(
            site("shared_store", 21, 2, bytes=1024, wavefronts=64),
            site("global_load", 10, 4, sectors=4),
        )
    )
    assert found.in_shared.ideal_wavefronts == 8
    assert found.in_global.ideal_sectors == 4


def test_one_line_appears_once_and_lines_are_in_order() -> None:
    found = lines(
        counters(
            launch(
                coalesced("global_store", 12, 2),
                coalesced("global_load", 10, 4),
                site("global_load", 10, 4, sectors=128, ideal_sectors=16),
            )
        )
    )
    assert [line.place for line in found] == [Place(FILE, 10), Place(FILE, 12)]
    assert (found[0].in_global.requests, found[0].in_global.sectors) == (8, 144)
    assert found[0].kinds == ("global_load",)


def test_waste_is_the_lines_share_of_the_whole_call() -> None:
    """Line 10 touches 128 sectors where 16 would do, of 144 in all; line 12 is at its ideal."""
    found = lines(
        counters(
            launch(
                site("global_load", 10, 4, sectors=128, ideal_sectors=16),
                coalesced("global_store", 12, 4),
            )
        )
    )
    assert [line.waste for line in found] == pytest.approx([112 / 144, 0])


def test_a_few_conflicts_among_much_traffic_are_no_heat() -> None:
    """31 passes too many of 4096 sectors and 32 passes."""
    found = lines(
        counters(
            launch(shared("shared_store", 20, 1, ways=32), coalesced("global_load", 10, 1024)),
            tensors=(TensorBytes("x", "input", 1024 * 128),),
        )
    )
    assert [line.waste for line in found] == pytest.approx([0, 31 / 4128])


def test_waste_of_reading_again_lies_on_the_lines_that_read() -> None:
    """x is 4096 bytes, 128 sectors. Each of two lines reads all of it: half of 256 sectors is too
    much, and each line has half of that, of 384 sectors in all."""
    found = lines(
        counters(
            launch(
                coalesced("global_load", 10, 32),
                coalesced("global_load", 11, 32),
                coalesced("global_store", 12, 32),
            )
        )
    )
    assert [line.waste for line in found] == pytest.approx([64 / 384, 64 / 384, 0])


def test_active_lanes_are_of_all_code_where_that_was_counted() -> None:
    loads = coalesced("global_load", 10, 32)
    only_accesses = counters(launch(loads))
    assert only_accesses.kernels[0].active_lanes == 32
    everything = counters(launch(loads, branches=[branch(10, 32, 32), branch(11, 32, 8)]))
    assert everything.has_branches
    assert everything.kernels[0].active_lanes == 20
    ten, eleven = lines(everything)
    assert (ten.active_lanes, eleven.active_lanes) == (32, 8)
    assert (ten.waste, eleven.waste) == pytest.approx((0, 24 / 64))


def test_lanes_that_a_block_has_not_are_no_waste_of_a_line() -> None:
    """A block of 16 threads: half a warp that is always whole."""
    found = counters(launch(block=[16, 1, 1], branches=[branch(10, 8, 16)]))
    [line] = lines(found)
    assert (line.active_lanes, line.ideal_lanes, line.waste) == (16, 16, 0)


def test_an_unknown_place_counts_in_totals_and_in_no_line() -> None:
    found = counters(launch({**coalesced("global_load", 1, 4), "site": None}))
    assert found.in_global.requests == 4
    assert lines(found) == []
    empty = counters()
    assert (empty.kernels, empty.over_minimum) == ((), 0.0)


def test_a_file_elsewhere_is_not_named(tmp_path: Path) -> None:
    """A kernel's #line or a forged report may name any file; its lines would be shown."""
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret\n")
    kernel = tmp_path / "kernels" / "kernel.cuh"
    beside = kernel.parent / "helper.cuh"
    launches = [
        launch(
            *(
                {**coalesced("global_load", 1, 4), "site": {"file": str(path), "line": 1}}
                for path in (secret, kernel, beside, kernel.parent / ".." / "secret.txt")
            )
        )
    ]
    found = read_counters(launches, "c", TENSORS, kernel=kernel)
    assert found is not None
    assert found.in_global.requests == 16
    assert [line.place.file for line in lines(found)] == [str(kernel), str(beside)]


def test_a_kernels_name_cannot_steer_the_terminal() -> None:
    [kernel] = counters(launch(kernel="k\033[2J")).kernels
    assert kernel.name == "k?[2J"


def test_the_document_is_json_with_the_ideal_beside_each_count() -> None:
    found = counters(launch(site("global_load", 10, 4, sectors=128, ideal_sectors=16), count=2))
    written = json.loads(json.dumps(document(found)))
    [line] = written["lines"]
    assert (line["file"], line["line"]) == (FILE, 10)
    assert (line["global"]["sectors"], line["global"]["ideal_sectors"]) == (128, 16)
    [kernel] = written["kernels"]
    assert (kernel["launches"], kernel["occupancy"]["share"]) == (2, 1)
    [suggestion] = [s for s in written["suggestions"] if s["rule"] == "scattered"]
    assert (suggestion["line"], suggestion["kernel"]) == (10, "k<float>")


@pytest.mark.parametrize(
    "launches",
    [
        None,
        3,
        ["k"],
        [{}],
        [launch(grid=[0, 1, 1])],
        [launch(grid=[1, 1])],
        [launch(block="25")],
        [launch(site("nothing", 1, 1))],
        [launch(coalesced("global_load", 1, 1, sectors=-4))],
        [launch({"kind": "global_load", "site": 5})],
        [launch({**coalesced("global_load", 1, 1), "requests": "many"})],
        [launch(branches=[{"site": None, "executions": None}])],
    ],
)
def test_a_report_out_of_form_is_none(launches: Any) -> None:
    assert read_counters(launches, "c", TENSORS, kernel=Path(FILE)) is None
