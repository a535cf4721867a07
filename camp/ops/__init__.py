"""ops: one module per operator, found by its name: camp/ops/<op>.py defines op, op_, prepare_op."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from typing import Any


def modules() -> list[str]:
    """The operators that have a module here, by name."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def names() -> list[str]:
    """Every function that `find` finds."""
    return [form for op in modules() for form in (op, f"{op}_", f"prepare_{op}")]


def find(name: str) -> Any:
    """The function `op`, `op_` or `prepare_op` of camp/ops/<op>.py; None where there is none."""
    op = name.removeprefix("prepare_").removesuffix("_")
    if not op.isidentifier() or importlib.util.find_spec(f"{__name__}.{op}") is None:
        return None
    return getattr(importlib.import_module(f"{__name__}.{op}"), name, None)
