"""camp.runtime and camp.arrays against a fake runtime: finding, reloading, choosing, refusing."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from camp import errors, runtime


@pytest.fixture(scope="module")
def folder(fake_build) -> Path:
    return fake_build()


@pytest.fixture
def scale(folder: Path) -> runtime.Operator:
    return runtime.load("sim", folder).operator("scale")


@pytest.fixture
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Makes `folder` the place where camp.<op> finds libraries."""
    monkeypatch.setenv("CAMP_BUILD_DIR", str(folder))
    monkeypatch.delenv("CAMP_BACKEND", raising=False)
    runtime.reset()
    yield folder
    runtime.reset()


def vector(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


# ---- finding ----


def test_a_folder_is_loaded_once(folder: Path) -> None:
    assert runtime.load("sim", folder) is runtime.load("auto", str(folder / "."))
    assert runtime.load(None, folder).backend == "sim"


def test_nothing_is_built(tmp_path: Path) -> None:
    with pytest.raises(errors.LibraryMissingError, match="the runtime is not built") as caught:
        runtime.load("sim", tmp_path)
    assert caught.value.exit_code == errors.EXIT_ENVIRONMENT
    assert caught.value.hint == "run `camp build`"
    assert str(tmp_path) in caught.value.message


def test_an_operator_is_not_built(folder: Path) -> None:
    with pytest.raises(errors.LibraryMissingError, match="softmax is not built") as caught:
        runtime.load("sim", folder).operator("softmax")
    assert caught.value.hint == "run `camp build softmax`"


def test_a_folder_of_the_other_backend(folder: Path) -> None:
    with pytest.raises(
        errors.LibraryLoadError, match="was built for sim, not for nvidia"
    ) as caught:
        runtime.load("nvidia", folder)
    assert "--backend nvidia" in caught.value.hint


def test_an_unknown_backend(in_folder: Path) -> None:
    with pytest.raises(errors.UsageError, match="unknown backend 'tpu'"):
        runtime.load("tpu")


def test_the_environment_names_the_folder(in_folder: Path) -> None:
    assert runtime.load("sim").folder == in_folder.resolve()
    y, x = vector(0, 0), vector(1, 2)
    assert runtime.apply_("scale", y, x) is y
    np.testing.assert_array_equal(y, [2, 4])


def test_the_environment_overrules_the_arrays(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAMP_BACKEND", "nvidia")
    with pytest.raises(errors.LibraryLoadError, match="not for nvidia"):
        runtime.apply_("scale", vector(0), vector(1))


# ---- reloading ----


def test_a_rebuilt_library_is_loaded_anew(fake_build, tmp_path: Path) -> None:
    folder = fake_build(folder=tmp_path)
    loaded = runtime.load("sim", folder)
    y, x = vector(0), vector(3)
    first = loaded.operator("scale")
    first.prepare(y, x)()
    assert y == 6
    assert loaded.operator("scale") is first

    library = folder / "libcamp_op_scale.so"
    for factor in (10, 100):  # twice: also the copy's own path must not be reused
        library.rename(tmp_path / f"before_{factor}.so")
        fake_build(operator={"FAKE_FACTOR": f"{factor}.0"}, folder=folder)
        time.sleep(runtime._TRUST_SECONDS)
        loaded.operator("scale").prepare(y, x)()
        assert y == 3 * factor
    first.prepare(y, x)()  # what was prepared or held before keeps its code
    assert y == 6


def test_a_library_given_by_path(fake_build, folder: Path, tmp_path: Path) -> None:
    loaded = runtime.load("sim", folder)
    variant = tmp_path / "variant.so"
    variant.write_bytes((folder / "libcamp_op_scale.so").read_bytes())
    assert loaded.operator("scale", variant).library == variant
    with pytest.raises(errors.LibraryMissingError, match=r"no .*absent\.so"):
        loaded.operator("scale", tmp_path / "absent.so")


# ---- arrays and attributes ----


def test_prepare(scale: runtime.Operator) -> None:
    y, x = vector(0, 0), vector(1, 2)
    prepared = scale.prepare(y, x, factor=-1)
    prepared()
    np.testing.assert_array_equal(y, [-1, -2])
    x[:] = 5
    prepared()
    np.testing.assert_array_equal(y, [-5, -5])


def test_apply_makes_an_array_like_the_first(in_folder: Path) -> None:
    x = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    y = runtime.apply("scale", (3, 2), x)
    assert (y.shape, y.dtype, y.flags.c_contiguous) == ((3, 2), x.dtype, True)


def test_workspace_lives_as_long_as_the_prepared(scale: runtime.Operator) -> None:
    y, x = vector(0), vector(1)
    prepared = scale.prepare(y, x, workspace_bytes=1000)
    gc.collect()
    prepared()
    assert y == 2


def test_an_unknown_attribute(scale: runtime.Operator) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="no attribute slope; it has: factor"):
        scale.prepare(vector(0), vector(1), slope=1.0)


def test_a_wrong_number_of_arrays(scale: runtime.Operator) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="scale takes y, x: 2 arrays, not 3"):
        scale.prepare(vector(0), vector(1), vector(2))


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        ([1.0, 2.0], "scale: x is a list, not an array"),
        (3.0, "scale: x is a float, not an array"),
        (np.float32(3), "scale: x is a float32, not an array"),
        (None, "scale: x is a NoneType, not an array"),
        (vector(1, 2).astype(np.complex64), "numpy dtype complex64 is not supported"),
        (vector(1, 2).astype(">f4"), "numpy dtype >f4 is not supported"),
        (np.zeros(2, "V4"), r"numpy dtype \|V4 is not supported"),
        (np.zeros(2, object), "numpy dtype object is not supported"),
        (np.ma.masked_array([1.0, 2.0], [0, 1]), "a masked array"),
    ],
)
def test_what_is_no_array_of_ours(scale: runtime.Operator, thing: object, words: str) -> None:
    with pytest.raises(errors.DTypeError, match=words):
        scale.prepare(vector(0, 0), thing)


def test_bfloat16(scale: runtime.Operator) -> None:
    x = vector(1, 2).astype(ml_dtypes.bfloat16)
    # The fake operator takes f32 alone; that it refuses this says the dtype arrived.
    with pytest.raises(errors.DTypeError, match="y is not f32"):
        scale.prepare(x.copy(), x)
    tensor = runtime.family_of(x).tensor(x, 0)
    assert (tensor.dtype, tensor.pointer, tensor.shape) == ("bf16", x.ctypes.data, (2,))
    assert runtime.family_of(x).empty(x, (3,), None).dtype == x.dtype


def test_other_float8_dtypes_are_refused(scale: runtime.Operator) -> None:
    with pytest.raises(errors.DTypeError, match="float8_e4m3fn is not supported"):
        scale.prepare(vector(0), vector(1).astype(ml_dtypes.float8_e4m3fn))


class Exporter:
    """An array of a library Camp does not know, in host memory; `device` may say otherwise."""

    def __init__(self, array: np.ndarray, device: tuple[int, int] = (1, 0)) -> None:
        self.array = array
        self.device = device
        self.shape = array.shape
        self.asked: list[dict] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **arguments: object) -> object:
        self.asked.append(dict(arguments))
        arguments.pop("stream", None)
        return self.array.__dlpack__(**arguments)

    def __array_namespace__(self) -> object:
        return np


class OldExporter(Exporter):
    """One from before DLPack had versions and read-only arrays."""

    def __dlpack__(self, *, stream: object = None) -> object:
        return self.array.__dlpack__()


@pytest.mark.parametrize("kind", [Exporter, OldExporter])
def test_dlpack(in_folder: Path, kind: type) -> None:
    x = vector(1, 2)
    y = runtime.apply("scale", (2,), kind(x))
    assert isinstance(y, np.ndarray)
    np.testing.assert_array_equal(y, [2, 4])
    out = kind(vector(0, 0))
    assert runtime.apply_("scale", out, kind(x)) is out
    np.testing.assert_array_equal(out.array, [2, 4])


def test_dlpack_read_only_output(scale: runtime.Operator) -> None:
    y = vector(0)
    y.flags.writeable = False
    with pytest.raises(errors.InvalidArgumentError, match="y is read-only"):
        scale.prepare(Exporter(y), Exporter(vector(1)))


def test_dlpack_asks_a_gpu_array_for_our_stream() -> None:
    x = Exporter(vector(1), device=(2, 0))
    family = runtime.family_of(x)
    assert (family.backend(x), family.device(x)) == ("nvidia", 0)
    family.tensor(x, 0)
    family.tensor(x, 0x1234)
    # DLPack's name for the default stream is 1; 0 is not allowed.
    assert [asked["stream"] for asked in x.asked] == [1, 0x1234]


def test_dlpack_out_of_reach(in_folder: Path) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="device of DLPack type 8"):
        runtime.apply_("scale", Exporter(vector(0), device=(8, 0)), vector(1))


def test_arrays_of_two_libraries(scale: runtime.Operator) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="arrays of numpy and of DLPack"):
        scale.prepare(vector(0), Exporter(vector(1)))


def test_jax_arrays_are_never_outputs(scale: runtime.Operator) -> None:
    immutable = type("Array", (Exporter,), {"__module__": "jaxlib._jax"})
    with pytest.raises(errors.InvalidArgumentError, match="y is read-only"):
        scale.prepare(immutable(vector(0)), immutable(vector(1)))


# ---- faults and leftovers ----


def test_a_fault_says_what_happened(scale: runtime.Operator) -> None:
    with pytest.raises(errors.KernelFault, match="execute was told to fail"):
        scale.prepare(vector(0), vector(1), execute_status=11)()


def test_a_process_leaves_no_copies_behind(fake_build, tmp_path: Path) -> None:
    folder = fake_build()
    script = """
import os, sys, time
from camp import runtime
from pathlib import Path
loaded = runtime.load("sim", sys.argv[1])
loaded.operator("scale")
os.utime(loaded.folder / "libcamp_op_scale.so")
time.sleep(runtime._TRUST_SECONDS)
print(loaded.operator("scale").library)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script, folder], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "camp-loaded-"))
    assert list(tmp_path.iterdir()) == []
