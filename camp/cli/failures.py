"""failures: what each error looks like, and the exit code it means.

The error boundary in camp.cli calls `show`; a command asks for `document` when it speaks JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

from camp.cli.excerpt import Mark, show_excerpt, shown_path
from camp.cli.terminal import Terminal, err
from camp.errors import EXIT_ENVIRONMENT, EXIT_INTERNAL, EXIT_USAGE, BuildError, CampError

_SHOWN_DIAGNOSTICS = 5
_SHOWN_LOG_LINES = 20

# Set by a command that was asked for --json: its errors are then one document on stdout too.
speaking_json = False


def show(error: Exception) -> int:
    """Prints one error and returns the exit code of the process."""
    terminal = err()
    if isinstance(error, CampError):
        code = error.exit_code
        _show_camp_error(terminal, error)
        if code == EXIT_INTERNAL:
            _say_saved(terminal, error)
    elif hasattr(error, "format_message"):  # the command line parser's own errors
        code = EXIT_USAGE
        terminal.say(_lower(error.format_message()), "red", "bold", label="error: ")
        context = getattr(error, "ctx", None)
        if context is not None:
            terminal.say(f"see `{context.command_path} --help`", "cyan", label="hint: ")
    elif isinstance(error, OSError):
        code = EXIT_ENVIRONMENT
        terminal.say(_os_sentence(error), "red", "bold", label="error: ")
    else:
        code = EXIT_INTERNAL
        terminal.say(
            f"this is a fault of Camp: {type(error).__name__}: {error}",
            *("red", "bold"),
            label="error: ",
        )
        _say_saved(terminal, error)
    if speaking_json:
        sys.stdout.write(json.dumps(document(error, code), indent=2) + "\n")
    return code


def document(error: Exception, code: int) -> dict[str, Any]:
    """The error as JSON: {"error": {"kind", "message", "hint", "diagnostics"}, "exit_code"}."""
    message = error.message if isinstance(error, CampError) else str(error)
    found: dict[str, Any] = {
        "kind": type(error).__name__,
        "message": message,
        "hint": getattr(error, "hint", None),
    }
    if isinstance(error, BuildError):
        found["diagnostics"] = [vars(diagnostic) for diagnostic in error.diagnostics]
    return {"error": found, "exit_code": code}


def show_interrupted() -> None:
    """Says that Ctrl-C was heard."""
    err().say("interrupted; what was finished before is kept", "yellow", label="stopped: ")


def show_build_error(terminal: Terminal, error: BuildError) -> None:
    """The compiler's messages with the learner's lines, else the end of its output."""
    for diagnostic in error.diagnostics[:_SHOWN_DIAGNOSTICS]:
        place = shown_path(diagnostic.file)
        if diagnostic.line:
            place += f":{diagnostic.line}" + (f":{diagnostic.column}" if diagnostic.column else "")
        styles = ("red",) if diagnostic.severity == "error" else ("yellow",)
        terminal.say(diagnostic.message, *styles, label=f"{place}: ", indent=2)
        show_excerpt(terminal, diagnostic.file, diagnostic.line, Mark(diagnostic.column), indent=4)
    hidden = len(error.diagnostics) - _SHOWN_DIAGNOSTICS
    if hidden > 0:
        terminal.say(f"and {hidden} more", indent=2)
    if not error.diagnostics:
        for line in error.log.splitlines()[-_SHOWN_LOG_LINES:]:
            terminal.raw("  " + line)


def _show_camp_error(terminal: Terminal, error: CampError) -> None:
    if isinstance(error, BuildError) and error.diagnostics:
        terminal.say("the code does not compile", "red", "bold", label="error: ")
    else:
        terminal.say(error.message, "red", "bold", label="error: ")
    if isinstance(error, BuildError):
        show_build_error(terminal, error)
    say_hint(terminal, error.hint)


def say_hint(terminal: Terminal, hint: str | None, indent: int = 0) -> None:
    """What helps, or where a log lies; nothing for None."""
    if hint:
        label = "" if hint.startswith("log: ") else "hint: "
        terminal.say(hint, "cyan", label=label, indent=indent)


def _say_saved(terminal: Terminal, error: Exception) -> None:
    text = "".join(traceback.format_exception(error))
    saved = _save(text)
    if saved is None:
        terminal.raw(text.rstrip())
    else:
        terminal.say(
            f"the full report is in {shown_path(saved)}; please send it with the command you ran",
            "cyan",
            label="hint: ",
        )


def _save(text: str) -> Path | None:
    from camp.workspace import Workspace

    try:
        folder = Workspace.find().state_dir
    except CampError:
        folder = Path(tempfile.gettempdir())
    for candidate in (folder, Path(tempfile.gettempdir())):
        try:
            candidate.mkdir(parents=True, exist_ok=True)
            path = candidate / "last-error.txt"
            path.write_text(text, encoding="utf-8")
            return path
        except OSError:
            continue
    return None


def _os_sentence(error: OSError) -> str:
    what = _lower(error.strerror or str(error))
    return f"{what}: {error.filename}" if error.filename else what


def _lower(text: str) -> str:
    """Parser and system messages start upper-case; ours do not."""
    return text[:1].lower() + text[1:].rstrip(".")
