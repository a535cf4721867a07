"""errors: every exception that Camp raises on purpose, and the exit code each one means.

Core modules raise these; only camp.cli renders them. A message is one sentence a learner can act
on; `hint` names the command or edit that helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

EXIT_PASS = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_BUILD = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERNAL = 70


class CampError(Exception):
    """Base of all errors below. `exit_code` is what the command line returns for it."""

    exit_code: int = EXIT_FAILED

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


# ---- what the caller asked for ----


class UsageError(CampError):
    """A wrong argument, option or environment variable."""

    exit_code = EXIT_USAGE


class UnknownOperatorError(UsageError):
    """No operator of this name. `suggestions` holds close names, best first."""

    def __init__(
        self, name: str, *, suggestions: Sequence[str] = (), known: Sequence[str] = ()
    ) -> None:
        message = f"there is no operator named '{name}'"
        if suggestions:
            message += f"; did you mean '{suggestions[0]}'?"
        hint = f"operators: {', '.join(known)}" if known else None
        super().__init__(message, hint=hint)
        self.name = name
        self.suggestions = tuple(suggestions)
        self.known = tuple(known)


class SpecError(UsageError):
    """An op.toml that does not follow the contract."""


# ---- the build ----


@dataclass(frozen=True)
class Diagnostic:
    """One message of a compiler. `line` and `column` are 1-based; 0 means unknown."""

    file: str
    line: int
    column: int
    message: str
    severity: str = "error"

    def __str__(self) -> str:
        place = self.file
        if self.line:
            place += f":{self.line}"
            if self.column:
                place += f":{self.column}"
        return f"{place}: {self.severity}: {self.message}"


class BuildError(CampError):
    """The compiler or linker refused the sources. `log` is its whole output."""

    exit_code = EXIT_BUILD

    def __init__(
        self,
        message: str,
        *,
        diagnostics: Sequence[Diagnostic] = (),
        log: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.diagnostics = list(diagnostics)
        self.log = log


# ---- the machine ----


class EnvironmentProblem(CampError):
    """Something about this machine, not about the learner's code."""

    exit_code = EXIT_ENVIRONMENT


class WorkspaceError(EnvironmentProblem):
    """No clone of Camp to work in."""


class ToolchainError(EnvironmentProblem):
    """A compiler or another tool is missing or does not fit."""


class StorageError(EnvironmentProblem):
    """A file or folder cannot be read, written or trusted."""


class LibraryMissingError(EnvironmentProblem):
    """The library of an operator has not been built yet."""


class LibraryLoadError(EnvironmentProblem):
    """A built library cannot be loaded, or belongs to another version or another build."""


class InternalError(CampError):
    """A fault of Camp itself."""

    exit_code = EXIT_INTERNAL


# ---- what the C runtime answered ----


class RuntimeStatusError(CampError):
    """A call of the C runtime failed. `status` is its name, such as "SHAPE_MISMATCH"."""

    def __init__(self, message: str, *, status: str = "INTERNAL", hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.status = status


class InvalidArgumentError(RuntimeStatusError, ValueError):
    """INVALID_ARGUMENT, UNSUPPORTED_LAYOUT or OVERFLOW."""


class InvalidObjectError(RuntimeStatusError, ValueError):
    """INVALID_OBJECT: freed, foreign or mismatched."""


class ShapeError(RuntimeStatusError, ValueError):
    """SHAPE_MISMATCH."""


class DTypeError(RuntimeStatusError, TypeError):
    """UNSUPPORTED_DTYPE."""


class WorkspaceTooSmallError(RuntimeStatusError, ValueError):
    """WORKSPACE_TOO_SMALL."""


class OutOfDeviceMemoryError(RuntimeStatusError, MemoryError):
    """OUT_OF_MEMORY."""


class NoDeviceError(RuntimeStatusError):
    """NO_DEVICE: no such device, or no driver."""

    exit_code = EXIT_ENVIRONMENT


class LaunchError(RuntimeStatusError):
    """LAUNCH_FAILED: the device refused the launch and the kernel never ran."""


class KernelFault(RuntimeStatusError):
    """KERNEL_FAULT: the kernel ran and broke a rule."""


class DeviceError(RuntimeStatusError):
    """DEVICE_ERROR: any other error of the device runtime."""
