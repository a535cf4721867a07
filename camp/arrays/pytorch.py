"""pytorch: torch tensors, on a GPU (nvidia) or in host memory (sim). Never imports torch itself."""

from __future__ import annotations

import sys
from collections.abc import Callable
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


def _empty_on_the_only_gpu(torch: Any) -> Callable[..., Any] | None:
    """torch's quickest way to a new CUDA tensor, from (shape, strides, dtype); None: not here.

    It is what torch.compile's own programs use, at half of what torch.empty costs, and not
    documented: it is tried once, and left alone where it does anything but that.
    """
    if not torch.cuda.is_available() or torch.cuda.device_count() != 1:
        return None  # it takes the current device, whatever device the inputs are on
    try:
        empty: Callable[..., Any] = torch._C._dynamo.guards._empty_strided_cuda
        made = empty((2, 3), (3, 1), torch.float16)
        right = made.shape == (2, 3) and made.dtype == torch.float16 and made.is_contiguous()
        return empty if right and made.is_cuda else None
    except (AttributeError, TypeError, RuntimeError):
        return None


class PyTorch:
    """Family of torch.Tensor. Uses attributes rather than DLPack, which costs microseconds."""

    name = "torch"

    def __init__(self) -> None:
        self._torch: Any = sys.modules["torch"]
        self._dtypes = {getattr(self._torch, key): name for key, name in _NAMES.items()}
        # A tenth of what torch.cuda.current_stream costs, which makes a Stream of the address.
        self._current_stream: Callable[[int], int] = getattr(
            self._torch._C, "_cuda_getCurrentRawStream", self._slow_stream
        )

    def backend(self, array: Any) -> str:
        return "nvidia" if array.is_cuda else "sim"

    def device(self, array: Any) -> int:
        return int(array.get_device()) if array.is_cuda else 0

    def stream(self, array: Any) -> int:
        if not array.is_cuda:
            return 0
        return self._current_stream(array.get_device())

    def _slow_stream(self, device: int) -> int:
        return int(self._torch.cuda.current_stream(device).cuda_stream)

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

    def result(self, array: Any, like: Any, library: native.Library) -> Any:
        return array

    def calls(self, operator: native.Operator) -> native.Calls | None:
        torch = self._torch
        exchange = getattr(torch.Tensor, "__dlpack_c_exchange_api__", None)  # torch 2.10 and later
        capturing = torch.cuda.is_current_stream_capturing if torch.cuda.is_available() else None
        return operator.calls(torch.Tensor, exchange, capturing, _empty_on_the_only_gpu(torch))

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        if not array.is_cuda:
            return None
        # torch reuses freed memory in the order of the stream, and aligns it to 512 bytes.
        owner = array.new_zeros((size_bytes,), dtype=self._torch.uint8)
        return owner.data_ptr(), owner
