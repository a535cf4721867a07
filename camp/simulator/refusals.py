"""simulator.refusals: what the simulator cannot run, recognised by name so that the build says
"needs a GPU" instead of a template error."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from camp.simulator.edits import Refusal
from camp.simulator.lexer import Token

_OWN_HEADERS = Path(__file__).resolve().parents[2] / "native" / "sim" / "include"

_ASM = frozenset(("asm", "__asm__", "__asm"))
_ASM_WORDS = frozenset(("volatile", "__volatile__", "__volatile", "goto", "inline"))
_PTX = "inline PTX (asm)"

_HEADERS: tuple[tuple[str, str], ...] = (
    (r"(?:crt/)?s?mma\.h", "tensor cores (nvcuda::wmma)"),
    (r"cub/.*", "CUB"),
    (r"cute/.*", "CuTe"),
    (r"thrust/.*", "Thrust"),
    (r"cutlass/.*", "CUTLASS"),
    (r"cuda/(?:std/)?barrier", "cuda::barrier"),
    (r"cuda/pipeline", "cuda::pipeline"),
    (r"cuda/ptx", "inline PTX (cuda::ptx)"),
    (r"cuda/.*", "libcu++"),
    (r"cuda_awbarrier\w*\.h", "asynchronous barriers (cuda_awbarrier.h)"),
    (r"cuda_pipeline\w*\.h", "asynchronous copies (cuda_pipeline.h)"),
    (r"cooperative_groups/memcpy_async\.h", "asynchronous copies (cooperative_groups)"),
    (r"cuda\.h|cudaTypedefs\.h", "the driver API"),
    (r"cuda_fp[468]\.h", "numbers of 4, 6 and 8 bits"),
    (r"(?:texture|surface)\w*_functions\.h|cuda_(?:texture|surface)_types\.h", "textures"),
    (r"(cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvrtc|cutensor)\w*\.h", r"\1"),
)
# Names that mean one thing only.
_WORDS: tuple[tuple[str, str], ...] = (
    ("nvcuda", "tensor cores (nvcuda::wmma)"),
    (r"__(?:nvvm|hmma|imma|bmma|dmma|mma)_\w+", "tensor cores and other built-ins of nvcc"),
    (r"cudaLaunchKernelExC|cudaLaunchAttribute\w*", "launch attributes such as clusters (\\g<0>)"),
    (r"cudaLaunchCooperativeKernel\w*", "a barrier of the whole grid (\\g<0>)"),
    (r"cudaGraphAdd\w+|cudaGraphCreate", "graphs built node by node (\\g<0>)"),
    (r"block_tile_memory", "tiles of more than 32 threads"),
    (r"__nv_atomic_\w+", "atomics of nvcc's own built-ins (\\g<0>)"),
    (r"__cluster(?:_dims__|_size__|[A-Z]\w*)", "thread block clusters"),
    (r"this_cluster|cluster_group", "thread block clusters"),
    (r"__pipeline_\w+", "asynchronous copies"),
    (r"make_tma_\w+|CUtensorMap\w*|cuTensorMap\w+|cp_async_bulk\w*", "TMA"),
    (
        r"cuda(?:Texture|Surface)Object_t|cuda(?:Create|Destroy)(?:Texture|Surface)Object",
        "textures",
    ),
    # MMA, copy and TMA atoms: SM80_16x8x16_F32F16F16F32_TN, SM75_U32x4_LDSM_N, SM90_TMA_LOAD
    (
        r"SM\d{2,3}[a-z]?_(?:\d+x\d+x\d+|U\d+x\d+|CP_ASYNC|TMA|BULK|TMEM|MMA)(?:_\w+)?",
        "the CuTe atom \\g<0>",
    ),
)
# Names that others may have: only before one of these marks.
_BEFORE: tuple[tuple[str, str, str], ...] = (
    (r"wmma", "::", "tensor cores (nvcuda::wmma)"),
    (r"cub", "::", "CUB"),
    (r"thrust", "::", "Thrust"),
    (r"cute", "::", "CuTe"),
    (r"cutlass", "::", "CUTLASS"),
    (r"memcpy_async", "(<", "asynchronous copies"),
    (r"tex(?:[123]D|Cubemap)\w*|surf(?:[123]D|Cubemap)\w*", "(<", "textures"),
)


def check_header(name: str, offset: int) -> None:
    """Raises Refusal for a system header that the simulator cannot provide."""
    what = refused_header(name)
    if what is not None:
        raise Refusal(offset, f"needs a GPU: {what}, from <{name}>")


def refused_header(name: str) -> str | None:
    """What of a header needs a GPU, or None."""
    for pattern, what in _HEADERS:
        match = re.fullmatch(pattern, name)
        if match and not (what == "libcu++" and (_OWN_HEADERS / name).is_file()):
            return match.expand(what)
    return None


def check_token(tokens: Sequence[Token], index: int) -> None:
    """Raises Refusal when tokens[index] names something only a GPU can do."""
    what = refused_token(tokens, index)
    if what is not None:
        raise Refusal(tokens[index].start, f"needs a GPU: {what}")


def refused_token(tokens: Sequence[Token], index: int) -> str | None:
    """What needs a GPU of the name at tokens[index], or None."""
    token = tokens[index]
    if token.kind != "word":
        return None
    after = tokens[index + 1].text if index + 1 < len(tokens) else ""
    if token.text in _ASM:
        return _PTX if _has_template(tokens, index + 1) else None
    what = _refused_word(token.text)
    if what is not None:
        return what
    member = index > 0 and tokens[index - 1].text in (".", "->", "namespace")
    if member or not after:
        return None
    return next((what for marks, what in _names_before_a_mark(token.text) if after in marks), None)


@lru_cache(maxsize=4096)
def _refused_word(word: str) -> str | None:
    for pattern, what in _WORDS:
        match = re.fullmatch(pattern, word)
        if match:
            return match.expand(what)
    return None


@lru_cache(maxsize=4096)
def _names_before_a_mark(word: str) -> tuple[tuple[str, str], ...]:
    return tuple((marks, what) for pattern, marks, what in _BEFORE if re.fullmatch(pattern, word))


def _has_template(tokens: Sequence[Token], index: int) -> bool:
    """Whether an asm statement has instructions. An empty one is only a barrier to the compiler,
    which the host takes as well."""
    following = [t.text for t in tokens[index : index + 4] if t.text not in _ASM_WORDS]
    return following[:1] == ["("] and following[1:2] != ['""']
