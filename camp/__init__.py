"""camp: a training camp for GPU kernels.

`camp.<op>`, `camp.<op>_` and `camp.prepare_<op>` are loaded on first use from camp/ops/<op>.py, so
this file knows no operator by name and importing it costs nothing.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if not name.startswith("__"):
        from camp.ops import find

        function = find(name)
        if function is not None:
            globals()[name] = function
            return function
    raise AttributeError(f"module 'camp' has no attribute '{name}'")


def __dir__() -> list[str]:
    from camp.ops import names

    return sorted({*globals(), *names()})
