"""test_interrupts: Ctrl-C in the middle: exit code 130, nothing lost, no process left."""

from __future__ import annotations

import os
import signal
import subprocess
import time

from camp.progress import ProgressStore

from .conftest import Clone
from .helpers import EARLIER, kept


def interrupt(clone: Clone, started: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Sends SIGINT to the whole process group, as a terminal does, once `started` is on stderr."""
    process = subprocess.Popen(
        clone.command(*arguments),
        cwd=clone.root,
        env=dict(clone.environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    seen = ""
    if started:
        for line in process.stderr:
            seen += line
            if started in line:
                break
    time.sleep(1.0)
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=30)
    return subprocess.CompletedProcess(process.args, process.returncode, out, seen + errors)


def test_ctrl_c_in_a_build_leaves_a_directory_that_builds_on(clone: Clone) -> None:
    ProgressStore(clone.root / ".camp").record_attempt(EARLIER)
    done = interrupt(clone, "Configuring", "build", "relu")
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert kept(clone) == [EARLIER]
    again = clone.run("check", "relu")
    assert again.returncode == 0, again.stdout + again.stderr


def test_ctrl_c_in_a_check_ends_the_worker_too(built: Clone) -> None:
    body = "while (true) y[0] = x[0];"
    path = built.root / "loop.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) y[i] = x[i];", body))
    built.run("check", "copy", "--kernel", str(path), "--backend", "wrong")  # warms the imports
    done = interrupt(built, "", "check", "copy", "--kernel", str(path))
    assert done.returncode == 130, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    left = subprocess.run(
        ["pgrep", "-f", f"camp.worker.*{built.root}"], capture_output=True, text=True, check=False
    )
    assert left.stdout == ""
