"""elf: tells a whole shared library from a truncated one, without loading it."""

from __future__ import annotations

import struct
from pathlib import Path


def is_complete(path: Path) -> bool:
    """Whether the file is a 64-bit ELF object that is not shorter than its headers say."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(64)
    except OSError:
        return False
    if len(header) < 64 or header[:5] != b"\x7fELF\x02":
        return False
    order = "<" if header[5] == 1 else ">"
    (sections_offset,) = struct.unpack_from(f"{order}Q", header, 40)
    entry_bytes, entries = struct.unpack_from(f"{order}HH", header, 58)
    # The section table is the last thing a linker writes.
    return bool(sections_offset) and sections_offset + entry_bytes * entries <= size
