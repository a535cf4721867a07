"""problems: the two compared computations, their sizes, inputs, values and numbers of accesses.

A simulator runs thread blocks one after another, all of one cost. So a slow one is given some whole
blocks of the problem, and its time is scaled by the number of blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

THREADS = 256  # of a block of softmax, and 16 x 16 of one of gemm
TILE = 16


@dataclass(frozen=True)
class Problem:
    """A kernel at one size. `sizes`: rows, columns of softmax; m, n, k of gemm."""

    name: str
    sizes: tuple[int, ...]

    @property
    def grid(self) -> tuple[int, int]:
        """Blocks in x and y."""
        if self.name == "softmax":
            return self.sizes[0], 1
        m, n, _ = self.sizes
        return n // TILE, m // TILE

    @property
    def block(self) -> tuple[int, int]:
        """Threads of a block in x and y."""
        return (THREADS, 1) if self.name == "softmax" else (TILE, TILE)

    @property
    def blocks(self) -> int:
        x, y = self.grid
        return x * y

    @property
    def accesses(self) -> int:
        """Loads and stores of global and shared memory, one for each thread."""
        if self.name == "softmax":
            rows, columns = self.sizes
            # Two reductions: store the own value, three accesses for each step of the tree, read
            # the result.
            reductions = 2 * (THREADS + 3 * (THREADS - 1) + THREADS)
            return rows * (3 * columns + columns + reductions)
        m, n, k = self.sizes
        # Two elements copied to the tiles, 2 x 16 read from them, for each step along k.
        return m * n * (k // TILE * (4 + 2 * TILE) + 1)

    @property
    def output_shape(self) -> tuple[int, int]:
        return self.sizes[0], self.sizes[1]

    def some(self, blocks: int) -> Problem:
        """The same work in so many blocks: the problem itself where that is all of them."""
        if blocks == self.blocks:
            return self
        if self.name == "softmax":
            return Problem(self.name, (blocks, self.sizes[1]))
        return Problem(self.name, (TILE, TILE * blocks, self.sizes[2]))

    def inputs(self) -> list[Array]:
        """Seeded normal values, float32."""
        random = np.random.default_rng(3)
        if self.name == "softmax":
            return [random.standard_normal(self.sizes, np.float32)]
        m, n, k = self.sizes
        return [random.standard_normal(s, np.float32) for s in ((m, k), (k, n))]

    def is_right(self, output: Array, inputs: list[Array]) -> bool:
        """Whether every value is that of numpy in float64, as far as sums in float32 allow."""
        wide = [array.astype(np.float64) for array in inputs]
        if self.name == "softmax":
            powers = np.exp(wide[0] - wide[0].max(axis=1, keepdims=True))
            expected = powers / powers.sum(axis=1, keepdims=True)
            tolerance = 1e-4 * expected
        else:
            expected = wide[0] @ wide[1]
            # Against the sum of the magnitudes: the values themselves may cancel to nothing.
            tolerance = 1e-5 * (np.abs(wide[0]) @ np.abs(wide[1]))
        return output.shape == expected.shape and bool(
            (np.abs(output - expected) <= tolerance).all()
        )


SOFTMAX = Problem("softmax", (4096, 1024))
GEMM = Problem("gemm", (256, 256, 256))
