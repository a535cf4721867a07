"""loading: lets a process load a library again after it was rebuilt.

The loader answers a path that it has seen with the library it loaded then, and an operator's code
is never unloaded. So a rebuilt library is loaded from a copy with a name of its own.
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

_numbers = itertools.count(1)


def stamp(path: str | Path) -> tuple[int, ...]:
    """What changes when a file is replaced or written to; () when there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return ()
    return (status.st_ino, status.st_mtime_ns, status.st_size)


def private_copy(library: Path) -> Path:
    """A copy of a library under a name no one has loaded, kept until the process ends."""
    copy = _folder() / f"{library.stem}.{next(_numbers)}{library.suffix}"
    shutil.copyfile(library, copy)
    return copy


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="camp-loaded-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a fork that ends early
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
