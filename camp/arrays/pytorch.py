"""pytorch: torch tensors, on a GPU (nvidia) or in host memory (sim). Never imports torch itself."""

from __future__ import annotations

import sys
from typing import Any

from camp.errors import DTypeError, InvalidArgumentError
from camp.native import native

_NAMES = {
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float64": "f64",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
}


def _refuse(reason: str, remedy: str) -> InvalidArgumentError:
    return InvalidArgumentError(f"a torch tensor {reason}; {remedy}", status="INVALID_ARGUMENT")


class PyTorch:
    """Family of torch.Tensor. Uses attributes rather than DLPack, which costs microseconds."""

    name = "torch"

    def __init__(self) -> None:
        self._torch: Any = sys.modules["torch"]
        self._dtypes = {getattr(self._torch, key): name for key, name in _NAMES.items()}

    def backend(self, array: Any) -> str:
        return "nvidia" if array.is_cuda else "sim"

    def device(self, array: Any) -> int:
        return int(array.get_device()) if array.is_cuda else 0

    def stream(self, array: Any) -> int:
        if not array.is_cuda:
            return 0
        return int(self._torch.cuda.current_stream(array.device).cuda_stream)

    def tensor(self, array: Any, stream: int) -> native.Tensor:
        if array.requires_grad:
            raise _refuse("that requires grad would lose its gradient here", "pass tensor.detach()")
        if array.layout is not self._torch.strided:
            raise _refuse(f"of layout {array.layout} is not strided", "pass tensor.to_dense()")
        if array.is_conj() or array.is_neg():
            raise _refuse(
                "with a pending conjugation or negation holds other values than it shows",
                "pass tensor.resolve_conj().resolve_neg()",
            )
        if array.device.type not in ("cpu", "cuda"):
            raise _refuse(f"on device {array.device} is out of reach", "move it to cuda or cpu")
        dtype = self._dtypes.get(array.dtype)
        if dtype is None:
            raise DTypeError(
                f"{array.dtype} is not supported; use one of torch's {', '.join(_NAMES)}",
                status="UNSUPPORTED_DTYPE",
            )
        return native.Tensor.from_pointer(
            array.data_ptr(),
            dtype,
            array.shape,
            array.stride(),
            array,
            True,
            "cuda" if array.is_cuda else "host",
            self.device(array),
        )

    def empty(self, array: Any, shape: tuple[int, ...], library: native.Library) -> Any:
        return array.new_empty(shape)

    def result(self, array: Any, like: Any, library: native.Library, stream: int) -> Any:
        return array

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        if not array.is_cuda:
            return None
        # torch reuses freed memory in the order of the stream, and aligns it to 512 bytes.
        owner = array.new_zeros((size_bytes,), dtype=self._torch.uint8)
        return owner.data_ptr(), owner
