"""cli: the `camp` command. `main` is the one place where an error becomes words and an exit code.

Results go to stdout, everything said along the way to stderr.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (default: the process's own) and returns its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A locale without a character must not turn a verdict into a crash.
            stream.reconfigure(errors="replace")
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # The reader went away. Python flushes stdout again at exit: give it somewhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE


def _run(arguments: list[str]) -> int:
    from camp.cli import failures

    try:
        from camp.cli.app import invoke

        return invoke(arguments)
    except KeyboardInterrupt:
        failures.show_interrupted()
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:
        return failures.show(error)
