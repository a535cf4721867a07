"""gpu_only: commands that wrap a tool of NVIDIA's, and what to do where it cannot run."""

from __future__ import annotations

import os

from camp.errors import ToolchainError, UsageError
from camp.nvidia_tools import require_tool


def require_nvidia(backend: str | None, what: str, tool: str, instead: str) -> None:
    """Raises UsageError where the simulator was asked for, and ToolchainError where there is no
    GPU, no nvcc or no tool; both name what to do instead on the simulator.

    backend: as on the command line. what: the option or command, for the message.
    """
    asked = (backend or os.environ.get("CAMP_BACKEND", "").strip() or "auto").lower()
    if asked == "sim":
        raise UsageError(f"{what} watches a kernel on a GPU, and the backend is sim", hint=instead)
    if asked not in ("nvidia", "auto"):
        raise UsageError(f"unknown backend '{asked}'; use one of auto, sim, nvidia")
    try:
        require_tool(tool)
    except ToolchainError as error:
        # What the hint says of building for this backend or running on the other is no help here.
        parts = [
            part for part in (error.hint or "").split("; ") if part and "--backend" not in part
        ]
        hint = "; ".join([*parts, instead])
        raise ToolchainError(f"{what}: {error.message}", hint=hint) from None
