"""fake_tool: a program that stands in for compute-sanitizer or ncu, for machines without a GPU.

It runs the worker it is given, as the real ones do, and says what the test tells it to. What to say
lies beside it in `behaviour.json`: the real tools get no environment of ours either.
"""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

_PROGRAM = r"""
import json, os, pathlib, signal, subprocess, sys, time

here = pathlib.Path(__file__).resolve().parent
told = json.loads((here / "behaviour.json").read_text())
arguments = sys.argv[1:]
worker = next(i for i, word in enumerate(arguments) if word == told["python"])
options = arguments[:worker]
with (here / "calls.txt").open("a") as calls:
    calls.write(json.dumps(arguments) + "\n")

sys.stdout.write(told["before"])
sys.stdout.flush()
if told["kill_self"]:
    os.kill(os.getpid(), signal.SIGKILL)
if told["run_worker"]:
    child = subprocess.Popen(arguments[worker:], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        sys.stdout.write(line)
        if '"begin": "%s"' % told["case"] in line:
            words = json.loads(line.partition(" ")[2])
            sys.stdout.write(told["record"] % {
                name: start + size for name, (start, size) in words["memory"].items()
            } if told["record"] else "")
        sys.stdout.flush()
    child.wait()
if told["sleep_s"]:
    subprocess.Popen(["sleep", str(told["sleep_s"])])
    time.sleep(told["sleep_s"])
if told["log"] is not None:
    (pathlib.Path(options[options.index("--log-file") + 1])).write_text(told["log"])
sys.stdout.write(told["after"])
sys.exit(told["code"])
"""


class FakeTool:
    """`program` is to be run in place of the tool `name`; say() sets what it does.

    before, after: printed around the worker's run. record: printed when the case `case` begins,
    with %(name)#x for the address past a tensor's end. log: the content of --log-file.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.program = folder / name
        self.program.write_text(f"#!{sys.executable} -S\n{_PROGRAM}")
        self.program.chmod(self.program.stat().st_mode | stat.S_IXUSR)
        self.say()

    def say(self, **behaviour: Any) -> None:
        quiet = {
            "python": sys.executable,
            "before": "",
            "after": "",
            "record": "",
            "case": "",
            "log": None,
            "run_worker": True,
            "kill_self": False,
            "sleep_s": 0,
            "code": 0,
        }
        unknown = set(behaviour) - set(quiet)
        assert not unknown, unknown
        (self.folder / "behaviour.json").write_text(json.dumps({**quiet, **behaviour}))

    def calls(self) -> list[list[str]]:
        """The arguments of each call so far."""
        lines = (self.folder / "calls.txt").read_text().splitlines()
        return [json.loads(line) for line in lines]
