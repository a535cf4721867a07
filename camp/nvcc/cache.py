"""nvcc.cache: keeps the answer for a kernel until a file that went into it changes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from camp.nvcc.report import NvccReport, read_json


class AnswerCache:
    """One file with one answer; a missing, damaged or read-only one only costs time.

    `question` is all that the answer depends on besides the content of files.
    """

    def __init__(self, path: Path, question: Sequence[str]) -> None:
        self.path = path
        self._question = list(question)

    def load(self) -> NvccReport | None:
        """The kept answer, if it is one to this question and to files as they are now."""
        try:
            entry = json.loads(self.path.read_text(encoding="utf-8"))
            if entry["question"] != self._question:
                return None
            if not all(_digest(Path(name)) == kept for name, kept in entry["files"].items()):
                return None
            return read_json(entry["report"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None

    def store(self, report: NvccReport, files: Iterable[Path]) -> None:
        """Keeps an answer that came from these files, unless one of them cannot be read."""
        digests = {str(file.absolute()): _digest(file) for file in files}
        if not digests or not all(digests.values()):
            return
        entry = {"question": self._question, "files": digests, "report": report.to_json()}
        temporary = self.path.with_name(f"{self.path.name}.{os.getpid()}.tmp")
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(exist_ok=True)
            temporary.write_text(json.dumps(entry), encoding="utf-8")
            os.replace(temporary, self.path)


def read_dependencies(depfile: Path) -> list[Path]:
    """The files named in a Makefile rule, as compilers write it; [] when it cannot be read."""
    try:
        text = depfile.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    words = text.partition(" : ")[2].replace("\\\n", " ").replace("\\ ", "\0").split()
    return [Path(word.replace("\0", " ")) for word in words]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
