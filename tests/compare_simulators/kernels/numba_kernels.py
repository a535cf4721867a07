"""numba_kernels: softmax.cu and gemm.cu in Python, for Numba's simulator.

    NUMBA_ENABLE_CUDASIM=1 python numba_kernels.py softmax x.bin y.bin rows columns
    NUMBA_ENABLE_CUDASIM=1 python numba_kernels.py gemm a.bin b.bin c.bin m n k

Prints what the launch alone took, as one line of JSON.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable

import numpy as np
from numba import cuda, float32

THREADS = 256
TILE = 16


@cuda.jit(device=True)
def block_maximum(partial, value):
    t = cuda.threadIdx.x
    partial[t] = value
    cuda.syncthreads()
    stride = THREADS // 2
    while stride > 0:
        if t < stride:
            partial[t] = max(partial[t], partial[t + stride])
        cuda.syncthreads()
        stride //= 2
    return partial[0]


@cuda.jit(device=True)
def block_sum(partial, value):
    t = cuda.threadIdx.x
    partial[t] = value
    cuda.syncthreads()
    stride = THREADS // 2
    while stride > 0:
        if t < stride:
            partial[t] = partial[t] + partial[t + stride]
        cuda.syncthreads()
        stride //= 2
    return partial[0]


@cuda.jit
def softmax_kernel(y, x, columns):
    partial = cuda.shared.array(THREADS, float32)
    row = cuda.blockIdx.x

    largest = -math.inf
    for c in range(cuda.threadIdx.x, columns, THREADS):
        largest = max(largest, x[row, c])
    largest = block_maximum(partial, largest)
    cuda.syncthreads()

    total = 0.0
    for c in range(cuda.threadIdx.x, columns, THREADS):
        total += math.exp(x[row, c] - largest)
    total = block_sum(partial, total)

    for c in range(cuda.threadIdx.x, columns, THREADS):
        y[row, c] = math.exp(x[row, c] - largest) / total


@cuda.jit
def gemm_kernel(c, a, b, k):
    a_tile = cuda.shared.array((TILE, TILE), float32)
    b_tile = cuda.shared.array((TILE, TILE), float32)
    x = cuda.threadIdx.x
    y = cuda.threadIdx.y
    row = cuda.blockIdx.y * TILE + y
    column = cuda.blockIdx.x * TILE + x
    total = 0.0
    for start in range(0, k, TILE):
        a_tile[y, x] = a[row, start + x]
        b_tile[y, x] = b[start + y, column]
        cuda.syncthreads()
        for i in range(TILE):
            total += a_tile[y, i] * b_tile[i, x]
        cuda.syncthreads()
    c[row, column] = total


def timed(launch: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    launch()
    cost = {"wall_s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
    print(json.dumps(cost))


def softmax(x_file: str, y_file: str, rows: int, columns: int) -> None:
    x = np.fromfile(x_file, np.float32).reshape(rows, columns)
    y = np.zeros_like(x)
    timed(lambda: softmax_kernel[rows, THREADS](y, x, columns))
    y.tofile(y_file)


def gemm(a_file: str, b_file: str, c_file: str, m: int, n: int, k: int) -> None:
    a = np.fromfile(a_file, np.float32).reshape(m, k)
    b = np.fromfile(b_file, np.float32).reshape(k, n)
    c = np.zeros((m, n), np.float32)
    timed(lambda: gemm_kernel[(n // TILE, m // TILE), (TILE, TILE)](c, a, b, k))
    c.tofile(c_file)


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    files = [word for word in arguments if not word.isdigit()]
    sizes = [int(word) for word in arguments if word.isdigit()]
    {"softmax": softmax, "gemm": gemm}[name](*files, *sizes)
