"""test_peers: which peers are timed, and what is said of those that are not."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

import camp.bench.peers as peers
from camp.bench.cases import BenchCase
from camp.bench.rig import Rig
from camp.errors import UsageError
from tests.bench_peers.rigs import STREAM, HostDevice, make_rig, on_host

CASE = BenchCase("c", "f32", {"z": (40, 25), "a": (40, 25), "b": (40, 25)})


@pytest.fixture
def rig() -> Iterator[Rig]:
    made = make_rig("vector_add", CASE)
    yield made
    made.free()
    made.sets.free()
    assert made.runtime.blocks == {}, "device memory leaked"


class FakeStream:
    """A CuPy stream: current within its `with` block."""

    def __init__(self, cupy: FakeCupy, pointer: int) -> None:
        self._cupy, self._pointer = cupy, pointer

    def __enter__(self) -> None:
        self._cupy.current = self._pointer

    def __exit__(self, *_: object) -> None:
        self._cupy.current = 0


class FakeCupy(ModuleType):
    """numpy in CuPy's clothes, on memory of a HostDevice. `operation` is what add does."""

    def __init__(self, device: HostDevice) -> None:
        super().__init__("cupy")
        self.cuda = SimpleNamespace(
            Device=lambda index: SimpleNamespace(use=lambda: None),
            ExternalStream=lambda pointer, index: FakeStream(self, pointer),
        )
        self.device, self.current, self.calls = device, 0, 0
        self.operation: Callable[..., object] = np.add

    def asarray(self, array: Any) -> Any:
        return on_host(array)

    def add(self, a: Any, b: Any, out: Any) -> None:
        self.calls += 1
        work = partial(self.operation, a, b, out=out)
        if self.current == STREAM:
            self.device.enqueue(work)
        else:
            work()  # on the default stream, which no graph records


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch, rig: Rig) -> FakeCupy:
    fake = FakeCupy(rig.runtime)
    monkeypatch.setitem(sys.modules, "cupy", fake)
    return fake


def only(rig: Rig, name: str) -> tuple[list[str], list[str]]:
    found, sentences = peers.candidates(rig, [name])
    return [candidate.name for candidate in found], sentences


def test_a_right_peer_is_timed_and_has_been_called(rig: Rig, cupy: FakeCupy) -> None:
    found, sentences = peers.candidates(rig, ["cupy"])
    assert [candidate.name for candidate in found] == ["CuPy"]
    assert sentences == []
    assert cupy.calls == 3, "on the first and the last set, and once for the graph"
    rig.spoil(1)
    found[0].call(1)
    assert rig.difference(1) == ""


def test_the_case_s_own_outputs_are_left_alone(rig: Rig, cupy: FakeCupy) -> None:
    for index in range(rig.count):
        rig.sets.poison(index, ["z"])
    found, _ = peers.candidates(rig, ["cupy"])
    for index in range(rig.count):
        found[0].call(index)
    assert all(np.isnan(rig.sets.read("z", index)).all() for index in range(rig.count))


def test_a_wrong_peer_is_left_out(rig: Rig, cupy: FakeCupy) -> None:
    cupy.operation = np.subtract
    names, [sentence] = only(rig, "cupy")
    assert names == []
    assert sentence.startswith("CuPy is left out: its output is wrong: z[0, 0]: expected ")


def test_a_peer_that_writes_nothing_is_left_out(rig: Rig, cupy: FakeCupy) -> None:
    """Even where an earlier peer left the right output in the same memory."""
    assert only(rig, "cupy") == (["CuPy"], [])
    cupy.operation = lambda a, b, out: None
    names, [sentence] = only(rig, "cupy")
    assert names == []
    assert "its output is wrong" in sentence


def test_a_peer_that_raises_is_left_out(rig: Rig, cupy: FakeCupy) -> None:
    def refuse(a: Any, b: Any, out: Any) -> None:
        raise RuntimeError("no such luck\nand a long story")

    cupy.operation = refuse
    assert only(rig, "cupy") == ([], ["CuPy is left out: it raised RuntimeError: no such luck"])


def test_a_peer_that_leaves_the_stream_is_left_out(rig: Rig, cupy: FakeCupy) -> None:
    """Its output is right, but a graph would time nothing."""
    cupy.cuda.ExternalStream = lambda pointer, index: contextlib.nullcontext()
    names, [sentence] = only(rig, "cupy")
    assert names == []
    assert "its output is wrong" in sentence


def test_a_peer_that_cannot_be_recorded_is_left_out(rig: Rig, cupy: FakeCupy) -> None:
    def refuse(a: Any, b: Any, out: Any) -> None:
        if rig.runtime.recording is not None:
            raise RuntimeError("operation not permitted when stream is capturing")

    cupy.add = refuse  # type: ignore[method-assign]
    names, [sentence] = only(rig, "cupy")
    assert names == []
    assert "not permitted when stream is capturing" in sentence
    assert rig.runtime.recording is None, "the recording has ended"


def test_a_case_that_a_peer_does_not_do(rig: Rig, cupy: FakeCupy) -> None:
    rig.module.cupy_peer = lambda cupy, tensors, attributes: NotImplemented  # type: ignore[attr-defined]
    assert only(rig, "cupy") == ([], ["CuPy is left out: it does not do this case"])


def test_an_operator_that_names_no_such_peer(rig: Rig, cupy: FakeCupy) -> None:
    del rig.module.cupy_peer
    assert only(rig, "cupy") == ([], [])


@pytest.mark.parametrize(
    ("key", "package", "sentence"),
    [
        ("cupy", "cupy", "CuPy is left out: it is not installed"),
        ("torch", "torch", "torch is left out: it is not installed"),
        ("torch.compile", "torch", "torch.compile is left out: it is not installed"),
    ],
)
def test_a_package_that_is_missing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, key: str, package: str, sentence: str
) -> None:
    hide(monkeypatch, package)
    assert only(rig, key) == ([], [sentence])


def test_triton_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "triton")
    one = make_rig("softmax", BenchCase("c", "f32", {"y": (4, 8), "x": (4, 8)}))
    assert only(one, "triton") == ([], ["Triton is left out: it is not installed"])
    one.free()


def test_a_package_that_does_not_load(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def find_spec(self, name: str, *_: object) -> None:
            if name == "cupy":
                raise ImportError("libcudart.so.12: cannot open shared object file")

    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    sentence = (
        "CuPy is left out: it cannot be imported: libcudart.so.12: cannot open shared object file"
    )
    assert only(rig, "cupy") == ([], [sentence])


def test_torch_without_a_device(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = ModuleType("torch")
    torch.cuda = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "torch", torch)
    sentence = "torch is left out: the installed torch finds no CUDA device"
    assert only(rig, "torch") == ([], [sentence])


def test_a_cupy_without_bf16(cupy: FakeCupy, monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def view(self, dtype: object) -> None:
            raise TypeError(f"Unsupported dtype {dtype}")

    monkeypatch.setattr(cupy, "asarray", lambda array: Refusing())
    one = make_rig("vector_add", replace(CASE, dtype="bf16"))
    assert only(one, "cupy") == ([], ["CuPy is left out: this version of it has no bf16"])
    one.free()


def test_cub_that_was_not_built(rig: Rig) -> None:
    assert only(rig, "cub") == ([], ["CUB is left out: it is not built"])


def test_cub_that_does_not_compile() -> None:
    problem = "it does not compile: cub/cub.cuh: No such file or directory"
    one = make_rig("vector_add", CASE, problems={"cub": problem})
    assert only(one, "cub") == ([], [f"CUB is left out: {problem}"])
    one.free()


class FakeCub:
    """A CubLibrary that adds, and insists on the workspace that it asked for."""

    device: HostDevice

    def __init__(self) -> None:
        self.asked = 0

    def __call__(
        self,
        arrays: Any,
        extents: Any,
        attributes: Any,
        workspace: int,
        workspace_bytes: int,
        stream: int,
    ) -> int:
        if workspace == 0:
            self.asked += 1
            return 100
        assert workspace_bytes >= 100
        assert extents == [1000]
        z, a, b = (on_host(array) for array in arrays)
        self.device.enqueue(partial(np.add, a, b, out=z))
        return 100


def test_cub_gets_the_workspace_it_asks_for_once() -> None:
    cub = FakeCub()
    one = make_rig("vector_add", CASE, cub=cub)
    cub.device = one.runtime
    found, sentences = peers.candidates(one, ["cub"])
    assert sentences == []
    assert [candidate.name for candidate in found] == ["CUB"]
    found[0].call(1)
    assert cub.asked == 1
    one.free()
    one.sets.free()
    assert one.runtime.blocks == {}


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        ([], ("torch", "cub", "triton", "cupy")),
        (["none"], ()),
        (["all"], ("torch", "cub", "triton", "cupy", "torch.compile")),
        (["CuPy", "torch"], ("torch", "cupy")),
        (["Torch.compile"], ("torch.compile",)),
    ],
)
def test_peers_are_chosen_by_name(names: list[str], keys: tuple[str, ...]) -> None:
    assert peers.chosen(names) == keys


@pytest.mark.parametrize("names", [["numpy"], ["torch", "all"]])
def test_a_peer_unknown(names: list[str]) -> None:
    with pytest.raises(UsageError, match="there is no peer named") as raised:
        peers.chosen(names)
    assert raised.value.hint is not None
    assert "torch.compile" in raised.value.hint


def hide(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    """Makes a package look as if it were not installed."""

    class Hidden:
        def find_spec(self, name: str, *_: object) -> None:
            if name == package:
                raise ModuleNotFoundError(f"No module named '{name}'", name=name)

    monkeypatch.delitem(sys.modules, package, raising=False)
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
