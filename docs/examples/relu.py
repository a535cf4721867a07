"""relu: one operator from Python: eager, in place, and prepared for many calls.

camp build
python docs/examples/relu.py

With CUDA tensors of torch, CuPy or JAX the same calls run on the GPU, without a copy.
"""

import os

import numpy as np

import camp


def on_a_gpu() -> None:
    """The nvidia backend works on CUDA tensors, here torch's."""
    try:
        import torch
    except ImportError:
        print("left out: torch is not installed, and numpy has no arrays on a GPU")
        return
    x = torch.linspace(-1, 1, 8, device="cuda")
    y = camp.relu(x, negative_slope=0.5)
    assert torch.equal(y, torch.where(x > 0, x, x * 0.5))
    print(y)


def on_the_simulator() -> None:
    """The sim backend works on numpy arrays."""
    x = np.linspace(-1, 1, 8, dtype=np.float32)

    # A new array.
    y = camp.relu(x, negative_slope=0.5)
    assert np.array_equal(y, np.where(x > 0, x, x * np.float32(0.5)))

    # Into an array of yours.
    out = np.empty_like(x)
    camp.relu_(out, x)
    assert np.array_equal(out, np.maximum(x, 0))

    # Checked and created once, then only launched: the arrays may change their values in between.
    prepared = camp.prepare_relu(out, x)
    for step in range(3):
        x[...] = np.linspace(-step, step, 8)
        prepared()
        assert np.array_equal(out, np.maximum(x, 0))

    # A row repeated over a column, as numpy would.
    rows = np.empty((3, 8), dtype=np.float32)
    camp.relu_(rows, x)
    assert np.array_equal(rows, np.broadcast_to(np.maximum(x, 0), (3, 8)))
    print(y)


if __name__ == "__main__":
    if os.environ.get("CAMP_BACKEND") == "nvidia":
        on_a_gpu()
    else:
        on_the_simulator()
