"""arrays: the array libraries whose arrays Camp takes in place, each behind the same functions.

No library is imported here: an array of it can only exist once its user has imported it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from camp.errors import DTypeError

if TYPE_CHECKING:
    from camp._native import Calls, Library, Operator, Tensor

Array = TypeVar("Array")


class Family(Protocol):
    """What Camp needs of an array library."""

    name: str

    def backend(self, array: Any) -> str:
        """ "sim" for host memory, "nvidia" for a GPU's."""

    def device(self, array: Any) -> int:
        """The 0-based number of the device that holds the array."""

    def stream(self, array: Any) -> int:
        """The stream that work on the array belongs on: the library's current one, else 0."""

    def tensor(self, array: Any, stream: int) -> Tensor:
        """The array in place, its pending work ordered before later work on `stream`."""

    def empty(self, array: Any, shape: tuple[int, ...], library: Library) -> Any:
        """A new contiguous array on the device of `array` and of its dtype."""

    def result(self, array: Any, like: Any, library: Library) -> Any:
        """What the caller gets for an output; waits where the library cannot order streams."""

    def calls(self, operator: Operator) -> Calls | None:
        """A store that serves repeated eager calls of the operator; None: each is prepared anew."""

    def workspace(self, array: Any, size_bytes: int) -> tuple[int, object] | None:
        """(address, owner) of zeros in the order of the current stream; None: Camp allocates it."""


_families: dict[type, Family] = {}


def family_of(array: Any, what: str = "the argument") -> Family:
    """The library of an array. `what` names it in the DTypeError for anything else."""
    kind = type(array)
    family = _families.get(kind)
    if family is None:
        family = _families[kind] = _find(array, what)
    return family


def shape_of(array: Any, what: str = "the argument") -> tuple[int, ...]:
    """The shape of an array. Raises DTypeError for anything else."""
    family_of(array, what)
    return tuple(array.shape)


def _loaded(name: str) -> ModuleType | None:
    return sys.modules.get(name)


def _find(array: Any, what: str) -> Family:
    numpy, torch, cupy = _loaded("numpy"), _loaded("torch"), _loaded("cupy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        if isinstance(array, numpy.ma.MaskedArray):
            raise DTypeError(
                f"{what} is a masked array, whose mask would be ignored; fill it first",
                status="UNSUPPORTED_DTYPE",
            )
        from camp.arrays.host import NumPy

        return NumPy()
    if torch is not None and isinstance(array, torch.Tensor):
        from camp.arrays.pytorch import PyTorch

        return PyTorch()
    if cupy is not None and isinstance(array, cupy.ndarray):
        from camp.arrays.cupy import CuPy

        return CuPy()
    if hasattr(array, "__dlpack__") and hasattr(array, "__dlpack_device__"):
        from camp.arrays.dlpack import DLPack

        return DLPack()
    raise DTypeError(
        f"{what} is a {type(array).__name__}, not an array; pass a numpy array, or a CUDA tensor "
        "of torch, CuPy or JAX",
        status="UNSUPPORTED_DTYPE",
    )
