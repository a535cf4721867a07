"""The whole run of ncu, with a program in its place and a runtime without a GPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from camp.apart_plan import PlannedCase
from camp.bench.cases import BenchCase
from camp.errors import CampError, ToolchainError
from camp.profile.metrics import METRICS, KernelProfile
from camp.profile.run import judged, plan_case, run_profiler
from tests.fake_tool import FakeTool

PAGE = (Path(__file__).parent / "recorded" / "reduce_sum.csv").read_text()
Profile = Callable[..., list[KernelProfile]]


@pytest.fixture
def tool(tmp_path: Path) -> FakeTool:
    return FakeTool(tmp_path / "bin", "ncu")


@pytest.fixture
def profile(fake_build: Callable[..., Path], tool: FakeTool) -> Profile:
    folder = fake_build(runtime={"FAKE_BACKEND": '"nvidia"'})

    def run(limit_s: float = 30.0, **attributes: float) -> list[KernelProfile]:
        planned = plan_case(BenchCase("c", "f32", {"y": (64,), "x": (64,)}, attributes), {"x"}, 1)
        # The runtime of these tests wants strides.
        tensors = tuple(type(t)(**{**vars(t), "strides": (1,)}) for t in planned.tensors)
        case = PlannedCase("c", tensors, attributes, planned.warm_ups)
        runtime, library = folder / "libcamp_runtime.so", folder / "libcamp_op_scale.so"
        return run_profiler(tool.program, "scale", runtime, library, case, limit_s=limit_s)

    return run


def test_a_call_is_profiled(profile: Profile, tool: FakeTool) -> None:
    tool.say(log=PAGE)
    (kernel,) = profile()
    assert kernel.registers == 38
    (call,) = tool.calls()
    assert call[call.index("--metrics") + 1] == ",".join(METRICS)
    assert call[call.index("--clock-control") + 1] == "none"  # no clock of the GPU is touched


DENIED = (
    "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU "
    "Performance Counters on the target device 0.\n"
)


@pytest.mark.parametrize(
    ("behaviour", "error", "words"),
    [
        ({"log": DENIED, "code": 1}, ToolchainError, "for administrators"),
        ({"log": "==WARNING== No kernels were profiled.\n"}, CampError, "launched no kernel"),
        ({"log": '"ID"\n\x00garbage'}, ToolchainError, "without an answer"),
        ({"run_worker": False, "code": 7}, ToolchainError, "exit code 7"),
        ({"run_worker": False, "kill_self": True}, ToolchainError, "signal 9"),
        ({"log": "==ERROR== Failed to find metric a.b\n"}, ToolchainError, "find metric a.b"),
    ],
)
def test_failures_are_one_sentence(
    profile: Profile,
    tool: FakeTool,
    behaviour: dict[str, object],
    error: type[CampError],
    words: str,
) -> None:
    tool.say(**behaviour)
    with pytest.raises(error, match=words):
        profile()


def test_a_kernel_that_fails_is_not_profiled(profile: Profile, tool: FakeTool) -> None:
    tool.say(log=PAGE)
    with pytest.raises(CampError, match="the call failed: LAUNCH_FAILED"):
        profile(execute_status=10)


def test_a_tool_that_hangs_is_stopped(profile: Profile, tool: FakeTool) -> None:
    tool.say(run_worker=False, sleep_s=60)
    started = time.monotonic()
    with pytest.raises(CampError, match=r"no answer within 0\.3 s"):
        profile(limit_s=0.3)
    assert time.monotonic() - started < 20


def test_the_slowest_kernel_is_judged() -> None:
    case = BenchCase("c", "f32", {"y": (64,), "x": (64,)})
    slow = KernelProfile("slow", time_us=9.0, lanes=4.0)
    result = judged("op", Path("k"), case, [KernelProfile("quick", time_us=1.0), slow])
    assert result.slowest is slow
    assert result.bottleneck is not None
    assert result.bottleneck.rule == "divergence"
    assert result.to_json()["slowest"] == "slow"
