"""native: imports camp._native, or says why it is missing."""

from __future__ import annotations

from camp.errors import ToolchainError

try:
    from camp import _native as native
except ImportError as error:  # an install on a machine without a C++ compiler leaves it out
    raise ToolchainError(
        f"camp was installed without its compiled part: {error}",
        hint="install a C++ compiler (`camp doctor` names one), then run `pip install -e .` again",
    ) from error

__all__ = ["native"]
