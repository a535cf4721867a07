"""outcome: how a peer says that it cannot be timed."""

from __future__ import annotations

import importlib
from types import ModuleType


class LeftOut(Exception):
    """Why a peer is not timed: the end of a sentence that begins with its name."""


def require(name: str) -> ModuleType:
    """Imports a package. Raises LeftOut where it is missing or does not load."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            raise LeftOut("it is not installed") from error
        raise LeftOut(f"it cannot be imported: {error}") from error
    except Exception as error:  # a broken installation is no peer
        raise LeftOut(f"it cannot be imported: {error}") from error
