"""runtime: finds the built libraries and runs operators on arrays in place.

    runtime = load("sim")                          # or "nvidia", or "auto"
    relu = runtime.operator("relu")
    prepared = relu.prepare(y, x, negative_slope=0.1)
    prepared()                                     # launches; call it as often as wanted

`prepare`, `apply` and `apply_` do the same for the runtime that fits the arrays: host memory runs
on sim, a GPU's on nvidia, unless CAMP_BACKEND names one. camp/ops/<op>.py is made of them.
"""

from __future__ import annotations

import json
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from camp.arrays import Array, Family, family_of, shape_of
from camp.errors import (
    InvalidArgumentError,
    LibraryLoadError,
    LibraryMissingError,
    RuntimeStatusError,
)
from camp.loading import private_copy, stamp
from camp.native import native
from camp.workspace import Workspace

Prepared = native.Prepared

__all__ = ["Operator", "Prepared", "Runtime", "apply", "apply_", "load", "prepare", "reset"]


class Operator:
    """One operator of a runtime."""

    def __init__(self, runtime: Runtime, name: str, library: Path) -> None:
        self.runtime = runtime
        self.name = name
        self.library = library
        self.native = native.Operator(runtime.library, str(library), name)
        self.tensor_names = tuple(name for name, _ in self.native.tensors)
        self._attributes = tuple((name, default) for name, _, default in self.native.attributes)
        self._calls: dict[str, native.Calls | None] = {}  # by the name of the family

    def prepare(self, *arrays: Any, **attributes: float) -> Prepared:
        """Creates the operator for arrays in the order of op.toml: outputs and inputs as they come.

        All arrays come from one library. With torch and CuPy the call runs on the stream that is
        current now; with others on the default stream, and the caller orders later changes.
        Raises ShapeError, DTypeError, InvalidArgumentError, NoDeviceError, OutOfDeviceMemoryError.
        """
        return self._prepare(arrays, attributes)

    def calls(self, family: Family) -> native.Calls | None:
        """The operators kept for eager calls on the family's arrays."""
        try:
            return self._calls[family.name]
        except KeyError:
            return self._calls.setdefault(family.name, family.calls(self.native))

    def run(self, family: Family, arrays: tuple[Any, ...], attributes: dict[str, float]) -> None:
        """Runs it once on arrays, the first of which is of `family`; raises what prepare does.

        Calls that differ in nothing but the memory of their arrays share one operator, where the
        family can tell such calls apart quickly.
        """
        calls = self.calls(family)
        if calls is not None and calls.run(arrays, attributes):
            return
        prepared = self._prepare(arrays, dict(attributes))
        prepared()
        if calls is not None:
            calls.keep(arrays, attributes, prepared)

    def _prepare(self, arrays: tuple[Any, ...], attributes: dict[str, float]) -> Prepared:
        family = self._family(arrays)
        device, stream = family.device(arrays[0]), family.stream(arrays[0])
        tensors = []
        for name, array in zip(self.tensor_names, arrays, strict=True):
            try:
                tensors.append(family.tensor(array, stream))
            except RuntimeStatusError as error:
                raise type(error)(
                    f"{self.name}: {name}: {error.message}", status=error.status
                ) from None
        prepared = self.native.prepare(
            device, stream, tensors, self._values(attributes) if attributes else (), False
        )
        size_bytes = prepared.workspace_bytes
        if size_bytes:
            workspace = family.workspace(arrays[0], size_bytes)
            if workspace is None:
                prepared.allocate_workspace()
            else:
                prepared.bind_workspace(workspace[0], size_bytes, workspace[1])
        return prepared

    def _family(self, arrays: tuple[Any, ...]) -> Family:
        if len(arrays) != len(self.tensor_names):
            raise InvalidArgumentError(
                f"{self.name} takes {', '.join(self.tensor_names)}: {len(self.tensor_names)} "
                f"arrays, not {len(arrays)}",
                status="INVALID_ARGUMENT",
            )
        first = family_of(arrays[0], f"{self.name}: {self.tensor_names[0]}")
        for name, array in zip(self.tensor_names, arrays, strict=True):
            if type(array) is type(arrays[0]):
                continue
            family = family_of(array, f"{self.name}: {name}")
            if family.name != first.name:
                raise InvalidArgumentError(
                    f"{self.name} got arrays of {first.name} and of {family.name}; pass arrays "
                    "of one library",
                    status="INVALID_ARGUMENT",
                )
        return first

    def _values(self, attributes: dict[str, float]) -> list[float]:
        values = [attributes.pop(name, default) for name, default in self._attributes]
        if attributes:
            known = ", ".join(name for name, _ in self._attributes) or "none"
            raise InvalidArgumentError(
                f"{self.name} has no attribute {next(iter(attributes))}; it has: {known}",
                status="INVALID_ARGUMENT",
            )
        return values


class Runtime:
    """The libraries of one build directory. Get one from `load`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / "libcamp_runtime.so"
        _require_file(path)
        self.library = native.Library(str(path))
        self.backend = self.library.backend
        self._operators: dict[tuple[str, Path | None], _Loaded] = {}
        self._paths: set[Path] = set()
        self._lock = threading.Lock()

    def operator(self, name: str, library: Path | None = None) -> Operator:
        """The operator of that name, from `library` or else from libcamp_op_<name>.so.

        A library that was rebuilt since is loaded anew, so a notebook sees its edits.
        Raises LibraryMissingError when it is not built, LibraryLoadError when it does not fit.
        """
        known = self._operators.get((name, library))
        if known is not None and time.monotonic() - known.checked < _TRUST_SECONDS:
            return known.operator
        path = library or self.folder / f"libcamp_op_{name}.so"
        now = stamp(path)
        with self._lock:
            if known is None or known.stamp != now:
                _require_file(path, name)
                # The loader answers a path that it has seen with the old library.
                source = private_copy(path) if path in self._paths else path
                known = _Loaded(Operator(self, name, source), now)
                self._paths.add(path)
                self._operators[name, library] = known
            known.checked = time.monotonic()
        return known.operator

    def trusted_until(self, name: str) -> float:
        """The time.monotonic() from which `operator(name)` looks at its file again."""
        return self._operators[name, None].checked + _TRUST_SECONDS

    def take_report(self) -> dict[str, Any]:
        """All the simulator saw since the last call (simulator.h), and forgets it. sim only."""
        report: dict[str, Any] = json.loads(self.library.sim_take_report())
        return report


@dataclass
class _Loaded:
    operator: Operator
    stamp: tuple[int, ...]
    checked: float = 0.0  # time.monotonic() when the file last had that stamp


# Asking the file system at every call would cost more than all the rest of an eager call. No build
# is this fast, so an edit is seen all the same.
_TRUST_SECONDS = 0.1


def _require_file(path: Path, operator: str = "") -> None:
    if not path.is_file():
        raise LibraryMissingError(
            f"{operator or 'the runtime'} is not built: there is no {path}",
            hint=f"run `camp build {operator}`" if operator else "run `camp build`",
        )


_runtimes: dict[Path, Runtime] = {}
_defaults: dict[str, Runtime] = {}
_lock = threading.Lock()


def load(backend: str | None = None, build_dir: Path | str | None = None) -> Runtime:
    """The runtime of a backend: "sim", "nvidia", "auto" or None (CAMP_BACKEND, else auto).

    Looks in `build_dir`, else CAMP_BUILD_DIR, else BUILD_DIR, else build-<backend> of the clone.
    The same folder gives the same object. Builds nothing.
    Raises LibraryMissingError (nothing built), LibraryLoadError (another ABI version or backend),
    WorkspaceError (no clone and no `build_dir`).
    """
    if build_dir is None:
        workspace = Workspace.find()
        backend = workspace.backend(backend)
        folder = workspace.library_dir(backend)
    else:
        folder = Path(build_dir)
    folder = folder.resolve()
    with _lock:
        runtime = _runtimes.get(folder)
        if runtime is None:
            runtime = _runtimes[folder] = Runtime(folder)
    if backend not in (None, "auto", runtime.backend):
        raise LibraryLoadError(
            f"{folder} was built for {runtime.backend}, not for {backend}",
            hint=f"run `camp build --backend {backend}`, or unset CAMP_BUILD_DIR and BUILD_DIR",
        )
    return runtime


def reset() -> None:
    """Forgets which runtime fits which arrays; the environment is read again at the next call."""
    _defaults.clear()
    _ready.clear()


def _fitting(array: Any, family: Family) -> Runtime:
    backend = family.backend(array)
    runtime = _defaults.get(backend)
    if runtime is None:
        wanted = os.environ.get("CAMP_BACKEND", "").strip().lower()
        runtime = load(wanted if wanted not in ("", "auto") else backend)
        _defaults[backend] = runtime
    return runtime


def prepare(operator: str, *arrays: Any, **attributes: float) -> Prepared:
    """Operator.prepare on the runtime that fits the arrays."""
    family = family_of(arrays[0], f"{operator}: the first array")
    return _fitting(arrays[0], family).operator(operator).prepare(*arrays, **attributes)


def apply_(operator: str, out: Array, *inputs: Any, **attributes: float) -> Array:
    """Runs an operator whose one output comes first, into `out`, and returns it.

    Raises what Operator.prepare does, and KernelFault, LaunchError or DeviceError.
    """
    ready = _ready.get((operator, type(out)))
    if (
        ready is not None
        and time.monotonic() < ready.until
        and ready.calls.run((out, *inputs), attributes)
    ):
        return out
    family = family_of(out, f"{operator}: the first array")
    return _apply(operator, family, out, out, inputs, attributes)  # type: ignore[no-any-return]


def apply(
    operator: str, shape: tuple[int, ...] | None, *inputs: Array, **attributes: float
) -> Array:
    """Runs an operator into a new array of `shape`, with the dtype and device of the first input.

    shape: None stands for that of the first input. Raises what apply_ does.
    """
    like = inputs[0]
    ready = _ready.get((operator, type(like)))
    if ready is not None and time.monotonic() < ready.until:
        made = ready.calls.run_new(shape, inputs, attributes)
        if made is not None:
            return made  # type: ignore[return-value]
    family = family_of(like, f"{operator}: the first input")
    extents: tuple[int, ...] = shape_of(like) if shape is None else shape
    out = family.empty(like, extents, _fitting(like, family).library)
    return _apply(operator, family, out, like, inputs, attributes)  # type: ignore[no-any-return]


class _Ready(NamedTuple):
    """Where eager calls of an operator on arrays of one type are looked up first."""

    calls: native.Calls
    until: float  # time.monotonic() when the operator's library is to be looked at again


_ready: dict[tuple[str, type], _Ready] = {}


def _apply(
    operator: str,
    family: Family,
    out: Any,
    like: Any,
    inputs: tuple[Any, ...],
    attributes: dict[str, float],
) -> Any:
    runtime = _fitting(like, family)
    found = runtime.operator(operator)
    found.run(family, (out, *inputs), attributes)
    calls = found.calls(family)
    if calls is not None:
        _ready[operator, type(like)] = _Ready(calls, runtime.trusted_until(operator))
    return family.result(out, like, runtime.library)
