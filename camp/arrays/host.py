"""host: numpy arrays, which the sim backend works on in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from camp.errors import DTypeError
from camp.native import native

_DTYPES: dict[Any, str] = {
    np.dtype(np.float32): "f32",
    np.dtype(np.float16): "f16",
    np.dtype(np.float64): "f64",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.uint8): "u8",
}


def dtype_name(dtype: Any) -> str:
    """ "f32", "bf16", ... of a numpy dtype. Raises DTypeError for one Camp does not know."""
    name = _DTYPES.get(dtype)
    if name is None:
        if dtype.name != "bfloat16":  # registered by ml_dtypes, which need not be imported here
            raise DTypeError(
                f"numpy dtype {dtype} is not supported; "
                "use float32, float16, bfloat16 (ml_dtypes), float64, int32, int64 or uint8",
                status="UNSUPPORTED_DTYPE",
            )
        name = _DTYPES[dtype] = "bf16"
    return name


class NumPy:
    """Family of numpy.ndarray."""

    name = "numpy"

    def backend(self, array: Any) -> str:
        return "sim"

    def device(self, array: Any) -> int:
        return 0

    def stream(self, array: Any) -> int:
        return 0

    def tensor(self, array: Any, stream: int) -> native.Tensor:
        name = dtype_name(array.dtype)
        if name == "bf16":
            # DLPack in numpy does not know bfloat16; the view shares the memory.
            array = array.view(np.uint16)
        return native.Tensor(array, name)

    def empty(self, array: Any, shape: tuple[int, ...], library: native.Library) -> Any:
        return np.empty(shape, array.dtype)

    def result(self, array: Any, like: Any, library: native.Library) -> Any:
        return array

    def calls(self, operator: native.Operator) -> native.Calls | None:
        return None

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        return None
