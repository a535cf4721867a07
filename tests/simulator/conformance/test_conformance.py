"""Every feature of CUDA that the simulator runs gives what a GPU gave.

The expected values in data/ were printed by the same programs on a GPU (record.py): nothing here
was computed by the simulator.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.simulator.conformance.compare import Feature, differences, parse
from tests.simulator.conformance.record import build, topics
from tests.simulator.harness import Outcome, compile_program, run_program

HERE = Path(__file__).parent
DATA = HERE / "data"
# Kernels that only compute: their accesses are one plain store each.
FUNCTIONS = ("approximate", "bfloat16", "convert", "float", "half", "integer", "words")

Outcomes = Callable[[str], Outcome]


@pytest.fixture(scope="module")
def outcome_of(
    sim_runtime: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Outcomes]:
    """Compiles the chosen topics side by side; what a topic's program did."""
    folder = tmp_path_factory.mktemp("conformance")

    def work(topic: str) -> Outcome:
        instrumented = topic not in FUNCTIONS
        source = HERE / f"{topic}.cu"
        program = compile_program(source, sim_runtime, folder, instrumented=instrumented)
        return run_program(program)

    calls = (getattr(item, "callspec", None) for item in request.session.items)
    chosen = {call.params.get("topic") for call in calls if call is not None}
    with ThreadPoolExecutor(2) as pool:
        futures: dict[str, Future[Outcome]] = {
            topic: pool.submit(work, topic) for topic in topics() if topic in chosen
        }
        yield lambda topic: futures[topic].result()


def recorded(topic: str) -> dict[str, Feature]:
    """What a topic printed on a GPU."""
    return parse((DATA / f"{topic}.txt").read_text())


@pytest.mark.slow
@pytest.mark.parametrize("topic", topics())
def test_the_simulator_does_what_a_gpu_did(topic: str, outcome_of: Outcomes) -> None:
    outcome = outcome_of(topic)
    assert outcome.code == 0, outcome.output
    assert differences(parse(outcome.output), recorded(topic)) == []
    # Some features are about __device__ variables, which the simulator warns of.
    allowed = {"device_variable", "launch_limit"} if topic == "limits" else {"device_variable"}
    unexpected = [fault for fault in outcome.faults if fault["kind"] not in allowed]
    assert unexpected == []


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["limits"])
def test_each_launch_that_hardware_refuses_is_reported(topic: str, outcome_of: Outcomes) -> None:
    refused = [name for name, feature in recorded(topic).items() if int(feature.words[0], 16)]
    places = {fault["site"]["line"] for fault in outcome_of(topic).faults}
    assert len(refused) == len(places) > 10


def test_every_topic_was_recorded_with_its_device() -> None:
    assert {path.stem for path in DATA.glob("*.txt")} == set(topics())
    for path in DATA.glob("*.txt"):
        text = path.read_text()
        for what in ("device", "driver", "nvcc", "date"):
            assert f"# {what}: " in text, path.name


def test_a_broken_feature_is_noticed(sim_runtime: Path, tmp_path: Path) -> None:
    """A program that computes one function wrongly: that feature differs, and no other."""
    for header in HERE.glob("*.cuh"):
        (tmp_path / header.name).write_bytes(header.read_bytes())
    source = tmp_path / "integer.cu"
    text = (HERE / source.name).read_text()
    source.write_text(text.replace("__popc(in.u())", "__popc(in.u() & ~1u)"))
    program = compile_program(source, sim_runtime, tmp_path, instrumented=False)
    found = differences(parse(run_program(program).output), recorded("integer"))
    assert [sentence.partition(":")[0] for sentence in found] == ["popc"]


BASE = "exact\t=\t0001 00ff\nnear\tulp 2\t3f800000 80000001\nclose\tabs 1e-3\t3f800000\n"
BROKEN = {
    "a value": ("0001 00ff", "0001 00fe", "exact: value 1 is 00fe, on a GPU 00ff (allowed: =)"),
    "too many places": ("3f800000 8", "3f800003 8", "near: value 0 is 3f800003"),
    "too far around zero": ("80000001", "00000002", "near: value 1 is 00000002"),
    "too far": ("3f800000\n", "3f80ffff\n", "close: value 0 is 3f80ffff"),
    "nan": ("3f800000\n", "7fffffff\n", "close: value 0 is 7fffffff"),
    "fewer values": ("0001 00ff", "0001", "exact: the program has changed"),
    "another bound": ("ulp 2", "ulp 3", "near: the program has changed"),
    "a feature less": ("exact\t=\t0001 00ff\n", "", "exact: the simulator's program does not"),
    "a feature more": ("exact\t", "more\t=\t1\nexact\t", "more: nothing is recorded of it"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_comparison_notices(case: str) -> None:
    before, after, message = BROKEN[case]
    assert BASE.count(before) >= 1
    found = differences(parse(BASE.replace(before, after, 1)), parse(BASE))
    if case in ("too far", "nan"):
        found = differences(parse(after.join(BASE.rsplit(before, 1))), parse(BASE))
    assert len(found) == 1
    assert found[0].startswith(message)


def test_the_comparison_lets_near_values_pass() -> None:
    near = BASE.replace("3f800000 80000001", "3f7ffffe 00000001")
    near = near.replace("1e-3\t3f800000", "1e-3\t3f800fff")
    assert differences(parse(near), parse(BASE)) == []
    with pytest.raises(ValueError, match="exact"):
        parse(BASE + BASE)


@pytest.mark.gpu
@pytest.mark.parametrize("topic", topics())
def test_a_gpu_still_does_what_is_recorded(topic: str, tmp_path: Path) -> None:
    """Exact features alike on every GPU of this architecture; occupancy and limits are its own."""
    program = build(topic, tmp_path, "native")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    assert differences(parse(done.stdout), recorded(topic)) == []
