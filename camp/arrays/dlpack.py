"""dlpack: arrays of any other library with the DLPack protocol, such as JAX.

Camp uses the device's default stream for them and waits for it after an eager call, since such a
library cannot be told of work on a stream.
"""

from __future__ import annotations

from typing import Any

from camp.errors import DTypeError, InvalidArgumentError
from camp.native import native

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_LEGACY_DEFAULT_STREAM = 1  # DLPack's number for it; 0 is not allowed there

# Their arrays never change; a library that writes into one breaks what the compiler assumed.
_IMMUTABLE = ("jax", "jaxlib")


def _place(array: Any) -> tuple[int, int]:
    kind, device = array.__dlpack_device__()
    return int(kind), int(device)


class DLPack:
    """Family of anything with __dlpack__ and __dlpack_device__."""

    name = "DLPack"

    def backend(self, array: Any) -> str:
        kind, _ = _place(array)
        if kind in (_CPU, _CUDA_HOST):
            return "sim"
        if kind in (_CUDA, _CUDA_MANAGED):
            return "nvidia"
        raise InvalidArgumentError(
            f"a {type(array).__name__} on a device of DLPack type {kind} is out of reach; move it "
            "to a CUDA device or to host memory",
            status="INVALID_ARGUMENT",
        )

    def device(self, array: Any) -> int:
        return _place(array)[1] if self.backend(array) == "nvidia" else 0

    def stream(self, array: Any) -> int:
        return 0

    def tensor(self, array: Any, stream: int) -> native.Tensor:
        arguments: dict[str, Any] = {}
        if self.backend(array) == "nvidia":
            arguments["stream"] = stream or _LEGACY_DEFAULT_STREAM
        try:
            # Only this newer form tells that an array is read-only.
            capsule = array.__dlpack__(max_version=(1, 1), **arguments)
        except TypeError:
            capsule = array.__dlpack__(**arguments)
        immutable = type(array).__module__.partition(".")[0] in _IMMUTABLE
        return native.Tensor(capsule, None, not immutable)

    def empty(self, array: Any, shape: tuple[int, ...], library: native.Library) -> Any:
        if not hasattr(array, "__array_namespace__"):
            raise DTypeError(
                f"no way is known to make a new {type(array).__name__}; use the form that writes "
                "into an array you pass",
                status="UNSUPPORTED_DTYPE",
            )
        return library.empty(self.device(array), self.tensor(array, 0).dtype, shape)

    def result(self, array: Any, like: Any, library: native.Library) -> Any:
        library.stream_synchronize(0)
        if array is like or not hasattr(like, "__array_namespace__"):
            return array
        return like.__array_namespace__().from_dlpack(array)

    def calls(self, operator: native.Operator) -> native.Calls | None:
        return None

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        return None
