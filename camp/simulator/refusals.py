"""simulator.refusals: what the simulator cannot run, recognised by name so that the build says
"needs a GPU" instead of a template error."""

from __future__ import annotations

import re
from collections.abc import Sequence

from camp.simulator.edits import Refusal
from camp.simulator.lexer import Token

_HEADERS: tuple[tuple[str, str], ...] = (
    (r"mma\.h", "tensor cores (nvcuda::wmma)"),
    (r"cub/.*", "CUB"),
    (r"cute/.*", "CuTe"),
    (r"thrust/.*", "Thrust"),
    (r"cuda/(?:std/)?barrier", "cuda::barrier"),
    (r"cuda/pipeline", "cuda::pipeline"),
    (r"cuda/ptx", "inline PTX (cuda::ptx)"),
    (r"cuda_pipeline(?:_primitives)?\.h", "asynchronous copies (cuda_pipeline.h)"),
    (r"cooperative_groups/memcpy_async\.h", "asynchronous copies (cooperative_groups)"),
    (r"cutlass/.*", "CUTLASS"),
)
_WORDS: dict[str, str] = {
    "nvcuda": "tensor cores (nvcuda::wmma)",
    "cudaLaunchKernelEx": "launch attributes such as clusters (cudaLaunchKernelEx)",
    "cudaLaunchKernelExC": "launch attributes such as clusters (cudaLaunchKernelExC)",
    "__cluster_dims__": "thread block clusters",
    "this_cluster": "thread block clusters",
    "__pipeline_memcpy_async": "asynchronous copies",
    "make_tma_copy": "TMA",
    "make_tma_atom": "TMA",
}
_ASM_WORDS = frozenset(("volatile", "__volatile__", "goto", "inline"))
_ASM = frozenset(("asm", "__asm__", "__asm"))
_ATOM = re.compile(r"SM\d{2,3}[a-z]?_\w+\Z")  # SM80_16x8x16_F32F16F16F32_TN, SM90_TMA_LOAD, ...


def check_header(name: str, offset: int) -> None:
    """Raises Refusal for a system header that the simulator cannot provide."""
    for pattern, what in _HEADERS:
        if re.fullmatch(pattern, name):
            raise Refusal(offset, f"needs a GPU: {what}, from <{name}>")


def check_token(tokens: Sequence[Token], index: int) -> None:
    """Raises Refusal when tokens[index] names something only a GPU can do."""
    token = tokens[index]
    if token.kind != "word":
        return
    if token.text in _ASM:
        following = [t.text for t in tokens[index + 1 : index + 5] if t.text not in _ASM_WORDS]
        # An empty template is only a barrier to the compiler, which the host takes as well.
        if following[:1] == ["("] and following[1:2] != ['""']:
            raise Refusal(token.start, "needs a GPU: inline PTX (asm)")
    elif token.text in _WORDS:
        raise Refusal(token.start, f"needs a GPU: {_WORDS[token.text]}")
    elif _ATOM.match(token.text):
        raise Refusal(token.start, f"needs a GPU: the CuTe atom {token.text}")
