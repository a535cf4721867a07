"""git: the commit of the clone, where git is there to say so."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit(root: Path) -> str | None:
    """The hash of the commit checked out in the clone, with "-dirty" behind it where tracked files
    differ from it; None without git, or where `root` is not the top of a repository."""
    if not (root / ".git").exists():
        return None
    # Without optional locks: a git command of the learner may run at the same time.
    command = ["git", "--no-optional-locks", "-C", str(root)]
    command += ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None


def short(commit: str | None) -> str:
    """A commit as it is shown: eight digits, and "+" for changes that are not in it."""
    if not commit:
        return ""
    digits, _, changed = commit.partition("-")
    return digits[:8] + ("+" if changed else "")
