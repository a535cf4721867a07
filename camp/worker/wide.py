"""wide: address space of many GiB for tensors that no machine has the memory for.

It shows the same few MiB of the arena again and again, so that a kernel can be followed to the far
end of a tensor of more than 2^31 elements. What it stores there means nothing.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Sequence
from types import TracebackType

_PROT_NONE = 0
_PRIVATE, _ANONYMOUS, _NORESERVE = 0x02, 0x20, 0x4000
_MAYMOVE, _FIXED = 1, 2
_FAILED = ctypes.c_void_p(-1).value


class Wide:
    """`size` bytes of address space, of which the `spans` (start, size) can be touched: every
    window of them is a further view of the shared mapping at `base`. Raises OSError where the
    address space has no room."""

    def __init__(self, base: int, window: int, size: int, spans: Sequence[tuple[int, int]]) -> None:
        self._size = size + window
        self._libc = ctypes.CDLL(None, use_errno=True)
        for name in ("mmap", "mremap"):
            getattr(self._libc, name).restype = ctypes.c_void_p
        flags = _PRIVATE | _ANONYMOUS | _NORESERVE
        self.address = self._checked(
            self._libc.mmap(None, ctypes.c_size_t(self._size), _PROT_NONE, flags, -1, None)
        )
        for start, extent in spans:
            first = start // mmap.PAGESIZE * mmap.PAGESIZE
            for at in range(first, start + extent, window):
                self._show(base, window, self.address + at)

    def _show(self, base: int, window: int, address: int) -> None:
        # An old size of 0 leaves the shared mapping where it is and makes another of it.
        self._checked(
            self._libc.mremap(
                ctypes.c_void_p(base),
                ctypes.c_size_t(0),
                ctypes.c_size_t(window),
                _MAYMOVE | _FIXED,
                ctypes.c_void_p(address),
            )
        )

    def __enter__(self) -> Wide:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._libc.munmap(ctypes.c_void_p(self.address), ctypes.c_size_t(self._size))

    def _checked(self, address: int | None) -> int:
        if address is None or address == _FAILED:
            raise OSError(ctypes.get_errno(), "no address space for the tensors")
        return address
