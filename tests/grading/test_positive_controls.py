"""A detector that no known-bad program sets off may be blind: each kind of fault and each verdict
has one. The tables named here are asserted row by row where they stand."""

from __future__ import annotations

import re
from pathlib import Path

from camp.grading.verdict import Verdict
from camp.workspace import Workspace
from tests.grading.faulty import FAULTS
from tests.grading.test_hostile import HOSTILE
from tests.simulator.test_engine import FAULTS as PROGRAMS

ROOT = Workspace.find(Path(__file__)).root
SIMULATOR = ROOT / "native" / "sim"
# How the simulator's sources name the kind of a fault that they make.
MADE = re.compile(
    r'(?:(?:fault_here|access_fault|kernel_trap)\(|\bkind = )[^;"]*'
    r'"([a-z_]+)"(?:\s*:\s*"([a-z_]+)")?'
)


def documented() -> set[str]:
    text = (ROOT / "native/include/operator_runtime/simulator.h").read_text()
    listed = text.split("kinds: ")[1].split(". The string")[0].replace("*", " ")
    return set(re.sub(r"\([^)]*\)", "", listed).replace(",", " ").split())


def made() -> set[str]:
    sources = [*SIMULATOR.rglob("*.cc"), *SIMULATOR.rglob("*.h"), *SIMULATOR.rglob("*.hpp")]
    found = [kinds for path in sources for kinds in MADE.findall(path.read_text())]
    return {kind for kinds in found for kind in kinds if kind}


def test_the_header_lists_every_kind() -> None:
    assert made() == documented()
    assert len(made()) >= 17


def test_every_kind_is_produced_by_a_known_bad_case() -> None:
    controls = set(PROGRAMS.values()) | {fault["kind"] for fault in FAULTS if "kind" in fault}
    assert made() - controls == set()
    assert controls - made() == set()


def test_every_verdict_is_given_to_a_known_bad_case() -> None:
    given = {fault["verdict"] for fault in FAULTS} | {hostile.verdict for hostile in HOSTILE}
    # BUILD and NOT_STARTED are no case's: test_check has them.
    judged = {word.value for word in Verdict} - {"BUILD", "NOT_STARTED"}
    assert judged - given == set()
