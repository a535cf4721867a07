"""library: libcamp_bench.so and libcamp_bench_cub_<op>.so, called through ctypes.

Their functions are declared in native/bench/camp_bench.h. They enqueue on a given stream, so that
they can be captured in a graph. camp.build.build_bench builds the two.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from camp.errors import BuildError, CampError, DeviceError, LibraryLoadError

# Constants of camp_bench.h and camp_dtype_t of operator_runtime/dtype.h; a test compares them.
MAX_ARRAYS = 8
TILE_BYTES = 16384
DTYPES = {"f32": 0, "f16": 1, "bf16": 2, "f64": 3, "i32": 4, "i64": 5, "u8": 6}


class Array(Protocol):
    """What a function needs of a tensor."""

    @property
    def pointer(self) -> int: ...
    @property
    def dtype(self) -> str: ...


class BenchLibrary:
    """libcamp_bench.so: ceilings, the launch floor, the state of the caches.

    Streams and pointers are integers; methods raise DeviceError.
    """

    def __init__(self, path: Path) -> None:
        """Raises LibraryLoadError where it cannot be loaded or is of another version."""
        self._library = _load(path)

    def fastest(
        self, sets: Sequence[Sequence[int]], reads: int, bytes_each: int, stream: int
    ) -> int:
        """The geometry in which `stream_through` is the fastest, by a short measurement.

        sets: the addresses of every set, the first `reads` of which are read.
        """
        arrays = len(sets[0])
        chosen = ctypes.c_int()
        status = self._library.camp_bench_fastest(
            _addresses([address for addresses in sets for address in addresses]),
            len(sets),
            reads,
            arrays - reads,
            ctypes.c_size_t(bytes_each),
            ctypes.c_void_p(stream),
            ctypes.byref(chosen),
        )
        _check(self._library, status, "looking for the fastest way to move data")
        return chosen.value

    def stream_through(
        self,
        reads: Sequence[int],
        writes: Sequence[int],
        bytes_each: int,
        geometry: int,
        stream: int,
    ) -> None:
        """Reads all of the arrays at `reads` and writes all at `writes`, the ceiling of a kind.

        Addresses are multiples of 16, `bytes_each` of TILE_BYTES. `geometry` is of `fastest`.
        """
        _check(
            self._library,
            self._library.camp_bench_stream(
                _addresses(reads),
                len(reads),
                _addresses(writes),
                len(writes),
                ctypes.c_size_t(bytes_each),
                geometry,
                ctypes.c_void_p(stream),
            ),
            "moving data",
        )

    def launch_floor_us(self, launches: int, stream: int) -> float:
        """Host microseconds of one cudaLaunchKernel in a C loop of `launches`, on an idle stream.

        Only a number of launches that fits the launch queue (about 1000) measures the host.
        """
        found = ctypes.c_double()
        status = self._library.camp_bench_launch_floor(
            launches, ctypes.c_void_p(stream), ctypes.byref(found)
        )
        _check(self._library, status, "launching")
        return found.value

    def reset_l2(self, stream: int) -> None:
        """Forgets persisting L2 lines, and the stream's access-policy window."""
        _check(
            self._library,
            self._library.camp_bench_reset_l2(ctypes.c_void_p(stream)),
            "resetting L2",
        )


class CubLibrary:
    """libcamp_bench_cub_<op>.so: an operator's work by CUB."""

    def __init__(self, path: Path) -> None:
        """Raises LibraryLoadError."""
        self._library = _load(path)

    def __call__(
        self,
        arrays: Sequence[Array],
        extents: Sequence[int],
        attributes: Sequence[float],
        workspace: int,
        workspace_bytes: int,
        stream: int,
    ) -> int:
        """Enqueues it, or with workspace 0 nothing. Returns the workspace bytes that it needs.

        arrays and extents are what native/bench/cub/<op>.cu takes. Raises DeviceError.
        """
        needed = ctypes.c_size_t(workspace_bytes)
        status = self._library.camp_bench_cub(
            ctypes.c_void_p(workspace),
            ctypes.byref(needed),
            _addresses([array.pointer for array in arrays]),
            (ctypes.c_int64 * len(extents))(*extents),
            (ctypes.c_double * max(1, len(attributes)))(*attributes),
            DTYPES[arrays[0].dtype],
            ctypes.c_void_p(stream),
        )
        _check(self._library, status, "CUB")
        return needed.value


@dataclass(frozen=True)
class Libraries:
    """What is loaded beside the operator. `problems` says why one is missing, by its key."""

    bench: BenchLibrary | None = None
    cub: CubLibrary | None = None
    problems: Mapping[str, str] = field(default_factory=dict)


def request_of(built: Mapping[str, Path | BuildError]) -> dict[str, dict[str, str]]:
    """What camp.build.build_bench gave, as a benchmark worker's request carries it."""
    found: dict[str, dict[str, str]] = {"paths": {}, "problems": {}}
    for key, result in built.items():
        if isinstance(result, BuildError):
            found["problems"][key] = f"it does not compile: {result.message}"
        else:
            found["paths"][key] = str(result)
    return found


def load(request: Mapping[str, Mapping[str, str]]) -> Libraries:
    """Loads the libraries of `request_of`; one that does not load is a problem, not an error."""
    loaders: dict[str, Any] = {"bench": BenchLibrary, "cub": CubLibrary}
    loaded: dict[str, Any] = {}
    problems = dict(request.get("problems", {}))
    for key, path in request.get("paths", {}).items():
        try:
            loaded[key] = loaders[key](Path(path))
        except CampError as error:
            problems[key] = error.message
    return Libraries(**loaded, problems=problems)


def _load(path: Path) -> Any:
    try:
        library = ctypes.CDLL(str(path))
        library.camp_bench_error.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise LibraryLoadError(f"{path} cannot be loaded: {error}") from error
    return library


def _check(library: Any, status: int, doing: str) -> None:
    """A status is a cudaError_t."""
    if status != 0:
        text = library.camp_bench_error(status).decode("utf-8", "replace")
        raise DeviceError(f"{doing}: {text}", status="DEVICE_ERROR")


def _addresses(pointers: Sequence[int]) -> Any:
    return (ctypes.c_void_p * max(1, len(pointers)))(*pointers)
