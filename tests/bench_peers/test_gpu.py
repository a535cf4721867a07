"""test_gpu: ceilings and peers on a real device, each operator's own peers at small sizes."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camp.bench.peers as peers
from camp.bench import ceilings, library
from camp.bench.cases import BenchCase, load_cases
from camp.bench.gpu import BufferSets, Region
from camp.bench.library import BenchLibrary, Libraries
from camp.bench.protocol import Candidate
from camp.bench.rig import Rig
from camp.build import build_bench, ensure_built
from camp.errors import DeviceError
from camp.spec import load_spec
from camp.workspace import Workspace

pytestmark = pytest.mark.gpu

ROOT = Path(__file__).resolve().parents[2]
DTYPES = ("f32", "f16", "bf16")
PACKAGES = {"torch": "torch", "triton": "triton", "cupy": "cupy", "torch.compile": "torch"}

SHAPES: dict[str, list[dict[str, tuple[int, ...]]]] = {
    "copy": [{"y": (100_003,), "x": (100_003,)}],
    "vector_add": [{"z": (100_003,), "a": (100_003,), "b": (100_003,)}],
    "relu": [{"y": (100_003,), "x": (100_003,)}],
    "reduce_sum": [
        {"y": (), "x": (100_003,)},
        {"y": (300,), "x": (300, 128)},
        {"y": (37,), "x": (37, 5001)},
    ],
    "softmax": [
        {"y": (301, 128), "x": (301, 128)},
        {"y": (37, 5001), "x": (37, 5001)},
        {"y": (3, 70_001), "x": (3, 70_001)},
    ],
}


@functools.cache
def runtime() -> Any:
    import camp._native as native

    workspace = Workspace(ROOT)
    ensure_built(workspace, "nvidia", ["relu"])
    return native.Library(str(workspace.library("nvidia", "camp_runtime")))


@functools.cache
def libraries(op: str) -> Libraries:
    loaded = library.load(library.request_of(build_bench(Workspace(ROOT), op)))
    assert loaded.problems == {}
    return loaded


@functools.cache
def bench() -> BenchLibrary:
    found = libraries("softmax").bench
    assert found is not None
    return found


@functools.cache
def stream() -> int:
    return int(runtime().stream_create(0))


def upload(region: Region, slot: int, values: Any) -> None:
    runtime().copy(region.slot(slot), values.ctypes.data, values.nbytes, "host_to_device", stream())


def download(region: Region, slot: int, count: int) -> Any:
    values = np.empty(count, dtype=np.uint32)
    runtime().copy(values.ctypes.data, region.slot(slot), 4 * count, "device_to_host", stream())
    runtime().stream_synchronize(stream())
    return values


@pytest.fixture
def region() -> Iterator[Region]:
    made = Region(runtime(), 0, 1 << 20, 8)
    yield made
    made.free()


@pytest.mark.parametrize(("reads", "writes"), [(1, 1), (2, 1), (3, 1), (1, 2), (0, 1), (3, 3)])
@pytest.mark.parametrize("tiles", [1, 3, 63])
def test_a_ceiling_moves_all_of_its_data(
    region: Region, reads: int, writes: int, tiles: int
) -> None:
    generator, count = np.random.default_rng(3), tiles * library.TILE_BYTES // 4
    given = [generator.integers(0, 2**32, count, dtype=np.uint32) for _ in range(reads)]
    for slot, values in enumerate(given):
        upload(region, slot, values)
    addresses = [region.slot(slot) for slot in range(reads + writes)]
    for geometry in range(geometries(reads, writes)):
        for slot in range(reads, reads + writes):
            upload(region, slot, np.full(count + 4, 0xABCD1234, dtype=np.uint32))
        bench().stream_through(addresses[:reads], addresses[reads:], 4 * count, geometry, stream())
        for slot in range(reads, reads + writes):
            found = download(region, slot, count + 4)
            assert (found[count:] == 0xABCD1234).all(), "it wrote past the end"
            if reads:
                assert np.array_equal(found[:count], np.bitwise_xor.reduce(given))
            else:
                assert (found[:count] != 0xABCD1234).all()


def geometries(reads: int, writes: int) -> int:
    """How many there are: one beyond the last is refused."""
    for geometry in range(100):
        try:
            bench().stream_through([0] * reads, [0] * writes, 0, geometry, stream())
        except DeviceError:
            return geometry
    raise AssertionError("no geometry is refused")


def test_a_read_leaves_its_data_alone(region: Region) -> None:
    values = np.random.default_rng(4).integers(0, 2**32, 12 * 4096, dtype=np.uint32)
    upload(region, 0, values)
    assert geometries(1, 0) > 1
    for geometry in range(geometries(1, 0)):
        bench().stream_through([region.slot(0)], [], values.nbytes, geometry, stream())
    assert np.array_equal(download(region, 0, values.size), values)


def test_parts_of_tiles_are_refused(region: Region) -> None:
    with pytest.raises(DeviceError, match="invalid argument"):
        bench().stream_through([region.slot(0)], [], library.TILE_BYTES + 16, 0, stream())


def test_the_fastest_geometry_is_one_of_them(region: Region) -> None:
    for reads, writes in ((1, 0), (0, 1), (1, 1), (2, 1), (3, 1)):
        sets = [[region.slot(part) for part in range(reads + writes)]] * 4
        found = bench().fastest(sets, reads, 1 << 20, stream())
        assert 0 <= found < geometries(reads, writes)


def test_a_launch_costs_the_host_something() -> None:
    assert 0.1 < bench().launch_floor_us(400, stream()) < 1000.0


def test_the_caches_are_reset() -> None:
    bench().reset_l2(stream())
    runtime().stream_synchronize(stream())


def small_cases(op: str) -> list[BenchCase]:
    return [
        BenchCase(f"{dtype} {list(shapes.values())[-1]}", dtype, shapes)
        for shapes in SHAPES[op]
        for dtype in DTYPES
    ]


def make_rig(op: str, case: BenchCase) -> Rig:
    spec = load_spec(ROOT, op)
    sets = BufferSets(runtime(), 0, stream(), case, 3)
    sets.fill([tensor.name for tensor in spec.inputs], 7)
    return Rig(runtime(), libraries(op), stream(), load_cases(ROOT, op), spec, sets, 7)


def replay(candidate: Candidate, index: int) -> None:
    """Captures one call as a graph, which runs nothing, and then runs it twice."""
    runtime().graph_begin(stream())
    candidate.call(index)
    graph = runtime().graph_end(stream())
    for _ in range(2):
        runtime().graph_launch(graph, stream())
    runtime().stream_synchronize(stream())
    runtime().graph_destroy(graph)


def require_peer(op: str, key: str) -> None:
    declared = f"{'torch' if key == 'torch.compile' else key}_peer"
    if not hasattr(load_cases(ROOT, op), declared):
        pytest.skip(f"{op} has no {declared}")
    if key in PACKAGES and importlib.util.find_spec(PACKAGES[key]) is None:
        pytest.skip(f"{PACKAGES[key]} is not installed")


def is_right(op: str, key: str, case: BenchCase) -> bool:
    """Whether a peer does a case, and then rightly; False where it says that it does not do it."""
    rig = make_rig(op, case)
    found, sentences = peers.candidates(rig, [key])
    expected = [] if found else ["it does not do this case"]
    assert [sentence.split(": ", 1)[1] for sentence in sentences] == expected, case.name
    for candidate in found:
        rig.spoil(1)
        replay(candidate, 1)
        assert rig.difference(1) == "", case.name
    rig.free()
    rig.sets.free()
    return bool(found)


@pytest.mark.parametrize("key", peers.DEFAULT)
@pytest.mark.parametrize("op", sorted(SHAPES))
def test_a_peer_does_every_case_rightly(op: str, key: str) -> None:
    require_peer(op, key)
    done = [case.name for case in small_cases(op) if is_right(op, key, case)]
    assert done, "a peer that does no case is none"


@pytest.mark.parametrize("op", ["softmax", "vector_add"])
def test_a_compiled_peer(op: str) -> None:
    """One case each: compiling takes a second, the first time ten."""
    require_peer(op, "torch.compile")
    assert is_right(op, "torch.compile", small_cases(op)[0])


@pytest.mark.parametrize("op", sorted(SHAPES))
def test_the_ceilings_of_a_case_can_be_called(op: str) -> None:
    case = small_cases(op)[0]
    rig = make_rig(op, case)
    found = ceilings.candidates(rig)
    own = ceilings.kind(case, rig.inputs, rig.outputs)
    assert {candidate.name for candidate in found} == {"copy", own}
    for candidate in found:
        replay(candidate, rig.count - 1)
    rig.free()
    rig.sets.free()
