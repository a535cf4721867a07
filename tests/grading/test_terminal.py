"""A kernel that prints what would clear or rename a terminal leaves it as it was."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import termios
import threading
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent / "hostile"
# What the progress line itself uses: colours, the line above, clearing a line, the cursor.
OURS = re.compile(rb"\x1b\[(?:[0-9;]*m|1A|2K|\?25[hl])")


@pytest.mark.parametrize("name", ["kernel_prints", "opens_the_terminal"])
def test_the_terminal_is_left_as_it_was(name: str, root: Path) -> None:
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    said = bytearray()

    def collect() -> None:
        try:
            while data := os.read(ours, 1 << 16):
                said.extend(data)
        except OSError:  # the other side is closed
            return

    reader = threading.Thread(target=collect)
    reader.start()
    command = [sys.executable, "-m", "camp", "check", "copy", "--backend", "sim", "--no-nvcc"]
    done = subprocess.run(
        ["setsid", "-c", "-w", *command, "--kernel", str(FOLDER / f"{name}.cuh")],
        stdin=theirs, stdout=theirs, stderr=theirs, cwd=root, check=False, timeout=120,
    )  # fmt: skip
    after = termios.tcgetattr(theirs)
    os.close(theirs)
    reader.join()
    os.close(ours)
    assert done.returncode == 0, said.decode(errors="replace")
    assert after == before
    assert b"PASS" in said
    rest = OURS.sub(b"", bytes(said))
    assert b"\x1b" not in rest
    assert b"\0" not in rest
    assert said.count(b"\x1b[?25h") == said.count(b"\x1b[?25l")
