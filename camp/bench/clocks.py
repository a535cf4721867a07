"""clocks: what nvidia-smi says of the GPU's clocks. They are read, never set."""

from __future__ import annotations

import shutil
import subprocess

_QUERY = "--query-gpu=clocks.sm,clocks.mem,clocks_event_reasons.active"


def read_clocks(device: int = 0) -> dict[str, str] | None:
    """SM clock, memory clock and the bit mask of throttle reasons; None without nvidia-smi."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    command = [tool, _QUERY, "--format=csv,noheader", f"--id={device}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    fields = [field.strip() for field in done.stdout.strip().split(",")]
    if done.returncode != 0 or len(fields) != 3:
        return None
    return {"sm": fields[0], "memory": fields[1], "throttle_reasons": fields[2]}
