"""CUDA tensors of torch, CuPy and JAX on the nvidia backend: in place, on their stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import camp
from camp import errors, runtime
from tests.measure_call_overhead import prepared_overhead_ns
from tests.test_ops_api import CASES, close, values

pytestmark = pytest.mark.gpu


@pytest.fixture
def sim_folder(every_operator: Callable[[str], Path]) -> Path:
    """Ask for it before `nvidia`, which says where to build."""
    return every_operator("sim")


@pytest.fixture
def nvidia(
    every_operator: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> Iterator[runtime.Runtime]:
    monkeypatch.setenv("CAMP_BUILD_DIR", str(every_operator("nvidia")))
    monkeypatch.delenv("CAMP_BACKEND", raising=False)
    runtime.reset()
    yield runtime.load("nvidia")
    runtime.reset()


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def cupy() -> Any:
    return pytest.importorskip("cupy")


# ---- torch ----


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_torch(nvidia: runtime.Runtime, torch: Any, dtype: str) -> None:
    x = torch.randn(37, 65, device="cuda").to(getattr(torch, dtype))
    y = camp.relu(x)
    assert (y.dtype, y.device) == (x.dtype, x.device)
    assert torch.equal(y, torch.relu(x))
    out = torch.empty_like(x)
    assert camp.relu_(out, x) is out
    assert torch.equal(out, torch.relu(x))
    prepared = camp.prepare_relu(out, x)
    x.neg_()
    prepared()
    assert torch.equal(out, torch.relu(x))
    close = torch.softmax(x.float(), -1).to(x.dtype)
    torch.testing.assert_close(camp.softmax(x), close)
    assert torch.equal(camp.copy(x), x)
    assert torch.equal(camp.vector_add(x, x), x + x)


def test_torch_strides_and_nothing(nvidia: runtime.Runtime, torch: Any) -> None:
    x = torch.randn(8, 6, device="cuda")
    assert torch.equal(camp.relu(x.T[::2]), torch.relu(x.T[::2]))
    assert camp.relu(x[:0]).shape == (0, 6)
    assert camp.softmax(x[:0]).shape == (0, 6)
    with pytest.raises(errors.InvalidArgumentError, match=r"softmax: x .*contiguous"):
        camp.softmax(x.T)


def test_torch_workspace(nvidia: runtime.Runtime, torch: Any) -> None:
    x = torch.ones(2, 1 << 20, device="cuda")
    out = torch.zeros(2, device="cuda")
    prepared = camp.prepare_reduce_sum(out, x)
    assert prepared.workspace_bytes > 0
    prepared()
    assert out.tolist() == [1 << 20] * 2
    assert camp.reduce_sum(x, axis=None).item() == 1 << 21


def test_torch_current_stream(nvidia: runtime.Runtime, torch: Any) -> None:
    stream = torch.cuda.Stream()  # one that the default stream does not wait for
    x = torch.full((1 << 16,), -1.0, device="cuda")
    out = torch.zeros_like(x)
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # about 0.1 s
        x.fill_(3.0)
        camp.relu_(out, x)
        prepared = camp.prepare_relu(out, x)
        late = camp.relu(x)
    assert prepared.stream == stream.cuda_stream
    stream.synchronize()
    assert (out == 3).all()
    assert (late == 3).all()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda torch, x: x.requires_grad_(), "requires grad.*detach"),
        (lambda torch, x: x.to_sparse(), "layout .*not strided"),
        (lambda torch, x: torch.complex(x, x).conj().imag, "negation.*resolve_neg"),
        (lambda torch, x: torch.complex(x, x), "complex64 is not supported"),
        (lambda torch, x: x > 0, "bool is not supported"),
        (lambda torch, x: x.to("meta"), "device meta is out of reach"),
        (lambda torch, x: x.cpu(), "relu: x lies in host memory"),
        (lambda torch, x: x.cpu().numpy(), "arrays of torch and of numpy"),
    ],
)
def test_torch_refusals(
    nvidia: runtime.Runtime, torch: Any, make: Callable[[Any, Any], Any], words: str
) -> None:
    out = torch.zeros(4, device="cuda")
    with pytest.raises((errors.InvalidArgumentError, errors.DTypeError), match=words):
        camp.relu_(out, make(torch, torch.ones(4, device="cuda")))


def test_torch_sums_in_parts(nvidia: runtime.Runtime, torch: Any) -> None:
    """Blocks hand over through the workspace: on two streams at once, and in a graph."""
    xs = [torch.randint(1, 4, ((1 << 20) + 3,), device="cuda").float() for _ in range(2)]
    outs = [torch.zeros((), device="cuda") for _ in xs]
    streams = [torch.cuda.Stream() for _ in xs]
    calls = []
    for x, out, stream in zip(xs, outs, streams, strict=True):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            calls.append(camp.prepare_reduce_sum(out, x, axis=None))
    for _ in range(50):
        for call in calls:
            call()
    torch.cuda.synchronize()
    assert [float(out) for out in outs] == [float(x.double().sum()) for x in xs]
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=streams[0]):
        calls[0]()
    for _ in range(3):
        xs[0].add_(1)
        outs[0].zero_()
        torch.cuda.synchronize()
        graph.replay()
        torch.cuda.synchronize()
        assert float(outs[0]) == float(xs[0].double().sum())


# ---- torch: eager calls that repeat ----


def test_eager_calls_of_every_kind_in_turn(nvidia: runtime.Runtime, torch: Any) -> None:
    """Kept operators are told apart by shape, strides, dtype and attributes, not by memory."""
    made = [
        (shape, dtype, slope, transposed)
        for shape in ((3, 5), (5, 3), (15,))
        for dtype in (torch.float32, torch.bfloat16)
        for slope in (0.0, 0.5)
        for transposed in (False, True)
    ]
    for seed in range(3):
        torch.manual_seed(seed)
        for shape, dtype, slope, transposed in made:
            x = torch.randn(shape, device="cuda").to(dtype)
            x = x.T if transposed and x.ndim == 2 else x
            expected = torch.nn.functional.leaky_relu(x, slope)
            out = torch.empty_like(x)
            assert camp.relu_(out, x, slope) is out
            assert torch.equal(out, expected)
            assert torch.equal(camp.relu(x, slope), expected)


def test_a_call_that_ran_does_not_excuse_a_wrong_one(nvidia: runtime.Runtime, torch: Any) -> None:
    out, x = torch.zeros(4, device="cuda"), torch.ones(4, device="cuda")
    for _ in range(2):
        camp.relu_(out, x)
    with pytest.raises(errors.InvalidArgumentError, match="requires grad"):
        camp.relu_(out, x.clone().requires_grad_())
    with pytest.raises(errors.InvalidArgumentError, match="lies in host memory"):
        camp.relu_(out, x.cpu())
    with pytest.raises(errors.InvalidArgumentError, match="share memory"):
        camp.vector_add_(out, x, out)
    both = torch.zeros(8, device="cuda")
    camp.copy_(both[:4], x)
    with pytest.raises(errors.InvalidArgumentError, match="share memory"):
        camp.copy_(both[:4], both[2:6])
    with pytest.raises(errors.ShapeError):
        camp.relu_(out, torch.ones(5, device="cuda"))


def test_eager_calls_follow_the_current_stream(nvidia: runtime.Runtime, torch: Any) -> None:
    x, out = torch.full((1 << 16,), -1.0, device="cuda"), torch.zeros(1 << 16, device="cuda")
    for stream in (torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.default_stream()):
        camp.relu_(out, x.fill_(1.0))
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            for value in (3.0, 5.0):
                torch.cuda._sleep(50_000_000)
                x.fill_(value)
                camp.relu_(out, x)
                stream.synchronize()
                assert (out == value).all()


def test_two_streams_run_side_by_side(nvidia: runtime.Runtime, torch: Any) -> None:
    """What one handle's stream waits for does not hold up another's."""
    x = torch.ones(1 << 10, device="cuda")
    slow, quick = torch.empty_like(x), torch.empty_like(x)
    busy, idle = torch.cuda.Stream(), torch.cuda.Stream()
    calls = {}
    for stream, out in ((busy, slow), (idle, quick)):
        with torch.cuda.stream(stream):
            calls[stream] = camp.prepare_relu(out, x)
            calls[stream]()
    torch.cuda.synchronize()
    with torch.cuda.stream(busy):
        torch.cuda._sleep(2_000_000_000)  # about a second
    calls[busy]()
    calls[idle]()
    idle.synchronize()
    assert not busy.query()
    busy.synchronize()


@pytest.mark.parametrize("op", CASES)
def test_every_operator_in_a_graph_of_camp(nvidia: runtime.Runtime, torch: Any, op: str) -> None:
    shapes, definition = CASES[op]
    arrays = [values(shape, np.dtype(np.float32)) for shape in shapes]
    inputs = [torch.from_numpy(array).cuda() for array in arrays]
    out = torch.full(definition(*arrays).shape, -77.0, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        prepared = getattr(camp, f"prepare_{op}")(out, *inputs)
    torch.cuda.synchronize()
    library = nvidia.library
    library.graph_begin(stream.cuda_stream)
    prepared()
    graph = library.graph_end(stream.cuda_stream)
    torch.cuda.synchronize()
    assert (out == -77).all()  # recorded, not run
    for factor in (0.5, -3.0):
        arrays[0] *= factor
        inputs[0] *= factor
        torch.cuda.synchronize()
        library.graph_launch(graph, stream.cuda_stream)
        stream.synchronize()
        close(out.cpu().numpy(), definition(*arrays))
    library.graph_destroy(graph)


def test_operators_in_a_graph_of_torch(nvidia: runtime.Runtime, torch: Any) -> None:
    """Replays work on what the inputs hold by then, beside eager calls that share nothing."""
    x = torch.ones(2, 1 << 20, device="cuda")
    sums, top = torch.zeros(2, device="cuda"), torch.zeros(2, device="cuda")
    beside = torch.ones(2, 1 << 20, device="cuda")
    for _ in range(2):
        camp.reduce_sum_(sums, x)  # kept with a workspace, which the graph must not take
        camp.relu_(top, sums)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        camp.reduce_sum_(sums, x)
        camp.relu_(top, sums)
    for value in (2.0, -3.0):
        x.fill_(value)
        sums.zero_()
        top.fill_(-1.0)
        torch.cuda.synchronize()
        graph.replay()
        with torch.cuda.stream(torch.cuda.Stream()):
            assert camp.reduce_sum(beside).tolist() == [1 << 20] * 2
        torch.cuda.synchronize()
        assert sums.tolist() == [value * (1 << 20)] * 2
        assert top.tolist() == [max(value, 0.0) * (1 << 20)] * 2


# ---- CuPy ----


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_cupy(nvidia: runtime.Runtime, cupy: Any, dtype: str) -> None:
    x = cupy.random.standard_normal((37, 65)).astype(dtype)
    y = camp.relu(x)
    assert isinstance(y, cupy.ndarray)
    assert cupy.array_equal(y, cupy.maximum(x, 0))
    out = cupy.empty_like(x[:, ::2])
    assert camp.relu_(out, x[:, ::2]) is out
    assert cupy.array_equal(out, cupy.maximum(x[:, ::2], 0))
    ones = cupy.ones((2, 1 << 20), dtype)
    assert cupy.array_equal(camp.reduce_sum(ones * 0), cupy.zeros(2, dtype))
    with pytest.raises(errors.DTypeError, match="relu: x: numpy dtype complex64"):
        camp.relu_(out, out.astype("complex64"))


def test_cupy_current_stream(nvidia: runtime.Runtime, cupy: Any) -> None:
    spin = cupy.RawKernel(
        'extern "C" __global__ void spin() { long long t = clock64();'
        " while (clock64() - t < 200000000) {} }",
        "spin",
    )
    spin((1,), (1,), ())  # compiled and loaded before it is timed
    x = cupy.full(1 << 16, -1, "float32")
    out = cupy.zeros_like(x)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        spin((1,), (1,), ())
        x.fill(3)
        camp.relu_(out, x)
        prepared = camp.prepare_relu(out, x)
    assert prepared.stream == stream.ptr
    stream.synchronize()
    assert bool((out == 3).all())


# ---- JAX ----


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_jax(nvidia: runtime.Runtime, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX sees no GPU")
    x = jax.random.normal(jax.random.key(0), (1024, 1024), dtype)
    late = jax.jit(lambda v: jax.numpy.where(v @ v @ v @ v == 12345, 0, jax.numpy.sign(v) * 3))
    x = late(x)  # still being computed
    y = camp.relu(x)
    assert (y.dtype, y.devices()) == (x.dtype, x.devices())
    assert bool((y == jax.nn.relu(x)).all())
    with pytest.raises(errors.InvalidArgumentError, match="relu: y is read-only"):
        camp.relu_(y, x)


# ---- the other place, and the cost ----


def test_the_wrong_place(
    nvidia: runtime.Runtime, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMP_BACKEND", "nvidia")
    with pytest.raises(errors.InvalidArgumentError, match=r"lies in host memory.*CUDA tensor"):
        camp.relu(np.ones(3, np.float32))
    with pytest.raises(errors.InvalidArgumentError, match="lies in host memory"):
        camp.relu(torch.ones(3))


def test_both_backends_in_one_process(
    sim_folder: Path, nvidia: runtime.Runtime, torch: Any
) -> None:
    sim = runtime.load("sim", sim_folder)
    y, x = np.zeros(2, np.float32), np.array([-1, 2], np.float32)
    sim.operator("relu").prepare(y, x)()
    assert y.tolist() == [0, 2]
    assert camp.relu(torch.from_numpy(x).cuda()).tolist() == [0, 2]
    tensor = torch.ones(3, device="cuda")
    with pytest.raises(errors.InvalidArgumentError, match="lies on a GPU"):
        sim.operator("relu").prepare(tensor, tensor.clone())


def test_a_prepared_launch_adds_little(nvidia: runtime.Runtime, torch: Any) -> None:
    x = torch.zeros(0, device="cuda")
    added, python, direct = prepared_overhead_ns(camp.prepare_relu(x, x.clone()))
    print(f"prepared on nvidia: {python:.0f} ns, C {direct:.0f} ns, +{added:.0f} ns")
    assert added <= 300
