"""kernel_names: what a kernel is called, from its symbol: "softmax_kernel<float, 4>".

The simulator's reports use the same names (native/sim/src/kernel_names.cc).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

_RUNTIMES = ("libstdc++.so.6", "libc++abi.so.1")


def kernel_name(symbol: str) -> str:
    """The kernel's name with its template arguments, without return type and parameters.

    A symbol that is no C++ name, or cannot be read, is returned as it is.
    """
    return _without_parameters(_demangle(symbol)).removeprefix("void ")


def _without_parameters(text: str) -> str:
    if not text.endswith(")"):
        return text
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[i], 0)
        if depth == 0:
            return text[:i]
    return text


def _demangle(symbol: str) -> str:
    function = _demangler()
    if function is None or not symbol.startswith("_Z"):
        return symbol
    status = ctypes.c_int()
    text = function(symbol.encode(), None, None, ctypes.byref(status))
    if not text:
        return symbol
    try:
        return ctypes.string_at(text).decode("utf-8", "replace")
    finally:
        _free(text)


@lru_cache(maxsize=1)
def _demangler() -> Callable[..., Any] | None:
    """__cxa_demangle of the C++ runtime; None where there is none."""
    for name in _RUNTIMES:
        try:
            function = ctypes.CDLL(name)["__cxa_demangle"]
        except (OSError, AttributeError):
            continue
        function.restype = ctypes.c_void_p
        function.argtypes = [
            ctypes.c_char_p,
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_int),
        ]
        return function
    return None


def _free(pointer: int) -> None:
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]
    free.restype = None
    free(pointer)
