"""cupy: CuPy arrays. Never imports CuPy itself."""

from __future__ import annotations

import sys
from typing import Any

from camp.arrays.host import dtype_name
from camp.errors import InvalidArgumentError
from camp.native import native


class CuPy:
    """Family of cupy.ndarray."""

    name = "cupy"

    def __init__(self) -> None:
        self._cupy: Any = sys.modules["cupy"]

    def backend(self, array: Any) -> str:
        return "nvidia"

    def device(self, array: Any) -> int:
        return int(array.device.id)

    def stream(self, array: Any) -> int:
        return int(self._cupy.cuda.get_current_stream(self.device(array)).ptr)

    def tensor(self, array: Any, stream: int) -> native.Tensor:
        size = array.dtype.itemsize
        if any(step % size for step in array.strides):
            raise InvalidArgumentError(
                f"strides of {array.strides} bytes are no multiple of the element's {size}",
                status="UNSUPPORTED_LAYOUT",
            )
        return native.Tensor.from_pointer(
            array.data.ptr,
            dtype_name(array.dtype),
            array.shape,
            [step // size for step in array.strides],
            array,
            True,
            "cuda",
            self.device(array),
        )

    def empty(self, array: Any, shape: tuple[int, ...], library: native.Library) -> Any:
        with array.device:
            return self._cupy.empty(shape, array.dtype)

    def result(self, array: Any, like: Any, library: native.Library) -> Any:
        return array

    def calls(self, operator: native.Operator) -> native.Calls | None:
        return None

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        # CuPy's pool reuses freed memory in the order of the stream, and aligns it to 512 bytes.
        with array.device:
            owner = self._cupy.cuda.alloc(size_bytes)
            owner.memset_async(0, size_bytes)
        return int(owner.ptr), owner
