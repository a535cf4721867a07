"""peers: the same work by other libraries, timed beside the kernel.

A module of this folder is one library. It has
  NAME       what the peer is called in results
  FUNCTION   the function of tests/bench/<op>.py that uses it; an operator without it has no such
             peer
  attach(rig, function) -> call(index)   prepares all sets; raises LeftOut
A function returns NotImplemented for a case that its library does not do. Libraries are imported
in `attach` only: inside the benchmark worker, and when they are wanted.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Sequence
from typing import Any

from camp.bench.peers.outcome import LeftOut
from camp.bench.protocol import Candidate
from camp.bench.rig import Rig
from camp.errors import CampError, UsageError

__all__ = ["DEFAULT", "LeftOut", "candidates", "chosen"]

_MODULES = {
    "torch": "camp.bench.peers.pytorch",
    "cub": "camp.bench.peers.cub",
    "triton": "camp.bench.peers.triton_kernels",
    "cupy": "camp.bench.peers.cupy_functions",
    "torch.compile": "camp.bench.peers.pytorch_compile",
}
# torch.compile takes ten seconds before its first case and about one before every other.
DEFAULT = ("torch", "cub", "triton", "cupy")


def chosen(names: Sequence[str]) -> tuple[str, ...]:
    """The keys of peers that a user named, in any case of letters: "all", "none", or one by one;
    the default for no names. Raises UsageError for a name unknown."""
    wanted = [name.lower() for name in names]
    if not wanted:
        return DEFAULT
    if wanted in (["all"], ["none"]):
        return tuple(_MODULES) if wanted == ["all"] else ()
    for name in wanted:
        if name not in _MODULES:
            raise UsageError(
                f"there is no peer named '{name}'", hint=f"peers: {', '.join(_MODULES)}, all, none"
            )
    return tuple(key for key in _MODULES if key in wanted)


def candidates(rig: Rig, wanted: Sequence[str] = DEFAULT) -> tuple[list[Candidate], list[str]]:
    """The peers that do this case rightly, and a sentence for each that is left out.

    Each has been called on the first and the last set, so allocators and tuners have settled, and
    what it writes when replayed from a graph was held against the case's expectation.
    """
    found: list[Candidate] = []
    sentences: list[str] = []
    for key in wanted:
        peer = importlib.import_module(_MODULES[key])
        function = getattr(rig.module, peer.FUNCTION, None)
        if function is None:
            continue
        try:
            found.append(_verified(rig, peer, function))
        except LeftOut as reason:
            sentences.append(f"{peer.NAME} is left out: {reason}")
    return found, sentences


def _verified(rig: Rig, peer: Any, function: Any) -> Candidate:
    """Raises LeftOut for a peer that is not there, cannot do the case, raises or is wrong."""
    try:
        call = peer.attach(rig, function)
        if call(0) is NotImplemented:
            raise LeftOut("it does not do this case")
        call(rig.count - 1)
        rig.runtime.stream_synchronize(rig.stream)
        _replay(rig, call)
    except LeftOut:
        raise
    except Exception as error:  # whatever another library raises, the kernel is still measured
        raise LeftOut(f"it raised {_brief(error)}") from error
    wrong = rig.difference()
    if wrong:
        raise LeftOut(f"its output is wrong: {wrong}")
    return Candidate(peer.NAME, call)


def _replay(rig: Rig, call: Callable[[int], Any]) -> None:
    """Leaves in set 0 what a graph of one call writes: nothing for work on another stream."""
    runtime, stream = rig.runtime, rig.stream
    runtime.graph_begin(stream)
    try:
        call(0)
    except Exception:
        with contextlib.suppress(CampError):  # the recording must end, and may be void already
            runtime.graph_destroy(runtime.graph_end(stream))
        raise
    graph = runtime.graph_end(stream)
    try:
        rig.spoil()
        runtime.graph_launch(graph, stream)
        runtime.stream_synchronize(stream)
    finally:
        runtime.graph_destroy(graph)


def _brief(error: Exception) -> str:
    """The first line of an error, short enough for a remark."""
    lines = str(error).strip().splitlines() or [""]
    text = lines[0] if len(lines[0]) <= 120 else lines[0][:117] + "..."
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
