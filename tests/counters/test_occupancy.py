"""test_occupancy: known answers. All were also had from the occupancy calculator of CUDA 13.0, over
three million launches, when the table of GPUs was written."""

from __future__ import annotations

import pytest

from camp.counters.gpus import GPUS, target_gpu
from camp.counters.occupancy import occupancy


@pytest.mark.parametrize(
    ("capability", "threads", "shared", "registers", "blocks", "limited_by"),
    [
        ("9.0", 256, 0, None, 8, ["threads"]),  # 2048 / 256
        ("9.0", 32, 0, None, 32, ["blocks"]),  # 64 warps would fit, 32 blocks do
        ("8.6", 1024, 0, None, 1, ["threads"]),  # 1536 hold one
        ("8.6", 256, 0, 64, 4, ["registers"]),  # 64 * 32 = 2048 a warp, 8 warps a quarter
        ("8.9", 128, 16 * 1024, None, 5, ["shared memory"]),  # 17 KiB with the system's, of 100
        ("7.5", 128, 16 * 1024, None, 4, ["shared memory"]),  # the system takes none: 64 / 16
        ("8.0", 33, 0, None, 32, ["threads", "blocks"]),  # 2 warps each, of 64
        ("9.0", 128, 227 * 1024, None, 1, ["shared memory"]),
        ("9.0", 128, 227 * 1024 + 1, None, 0, ["shared memory"]),
        ("12.0", 256, 0, 255, 1, ["registers"]),  # 8192 a warp, 2 warps a quarter
        ("10.0", 1024, 0, 65, 0, ["registers"]),  # 2304 a warp: 32 warps take more than there are
        ("9.0", 1025, 0, None, 0, ["threads"]),
    ],
)
def test_known_answers(
    capability: str,
    threads: int,
    shared: int,
    registers: int | None,
    blocks: int,
    limited_by: list[str],
) -> None:
    gpu = GPUS[capability]
    found = occupancy(gpu, threads, shared, registers)
    assert (found.blocks, found.limited_by) == (blocks, limited_by)
    assert found.share == pytest.approx(blocks * -(-threads // 32) * 32 / gpu.threads)


def test_unknown_registers_do_not_limit() -> None:
    gpu = GPUS["9.0"]
    assert occupancy(gpu, 256, 0, None).share == 1
    assert "registers" not in occupancy(gpu, 256, 0, None).limits
    assert occupancy(gpu, 256, 0, 128).share == 0.25


@pytest.mark.parametrize(
    ("stated", "capability"),
    [("", "9.0"), ("native", "9.0"), ("86", "8.6"), ("52;120-real", "12.0"), ("90a", "9.0")],
)
def test_the_gpu_is_the_first_known_architecture(
    monkeypatch: pytest.MonkeyPatch, stated: str, capability: str
) -> None:
    monkeypatch.setenv("CMAKE_CUDA_ARCHITECTURES", stated)
    assert target_gpu().capability == capability
