"""run: launches examples of docs/reports and prints the simulator's report of each, a line each.

usage: python -m tests.reports.run RUNTIME LIBRARY NAME...
"""

from __future__ import annotations

import ctypes
import os
import sys
from ctypes import byref, c_float, c_void_p

from camp.worker.abi import Library, SimOptions

ELEMENTS = 100


def main(runtime: str, path: str, names: list[str]) -> None:
    library = Library(runtime, path, "copy")
    handle, stream = c_void_p(), c_void_p()
    library.must("camp_stream_create", 0, byref(stream))
    library.must("camp_handle_create", byref(handle), 0, stream)
    tensor = {"shape": [ELEMENTS], "strides": None, "dtype": "f32"}
    _, operator = library.create(handle, [tensor, tensor], {})
    # One host thread and the natural order: which of two accesses comes first is always the same.
    library.configure(SimOptions(workers=1, time_limit_ms=1000, poison=0xFF))
    for name in names:
        os.environ["EXAMPLE"] = name
        y = (c_float * ELEMENTS)()
        x = (c_float * ELEMENTS)(*(i - 50.0 for i in range(ELEMENTS)))
        library.execute(operator, 0, 0, [ctypes.addressof(y), ctypes.addressof(x)])
        print(library.report())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
