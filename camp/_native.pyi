"""
The C runtime of Camp, loaded at run time: libraries, tensors, operators.
"""

from collections.abc import Callable, Sequence

ABI_VERSION: int = 1

class Library:
    """
    libcamp_runtime.so of one backend. Pointers, streams, events and graphs are integers.

    Methods raise the RuntimeStatusError that their C function's status stands for.
    """

    def __init__(self, path: str) -> None:
        """
        Loads the library. Raises LibraryLoadError, also for another ABI version.
        """

    @property
    def path(self) -> str: ...
    @property
    def backend(self) -> str:
        """ "sim" or "nvidia"."""

    @property
    def abi_version(self) -> int: ...
    def dtype_bytes(self, dtype: str) -> int:
        """Bytes of one element, by the library's own table."""

    def device_count(self) -> int: ...
    def device_info(self, device: int) -> dict[str, str | int]:
        """The fields of camp_device_info_t."""

    def device_synchronize(self, device: int) -> None: ...
    def alloc(self, device: int, bytes: int) -> int:
        """Address of fresh device memory; 0 for no bytes."""

    def free(self, device: int, pointer: int) -> None: ...
    def copy(self, destination: int, source: int, bytes: int, kind: str, stream: int = 0) -> None:
        """
        Copies bytes; `kind` is host_to_device, device_to_host or device_to_device.
        """

    def memset(self, pointer: int, value: int, bytes: int, stream: int = 0) -> None: ...
    def empty(self, device: int, dtype: str, shape: Sequence[int]) -> object:
        """
        A new contiguous array, uninitialised, that other libraries can take over by DLPack.
        """

    def stream_create(self, device: int) -> int: ...
    def stream_destroy(self, stream: int) -> None: ...
    def stream_synchronize(self, stream: int) -> None: ...
    def event_create(self, device: int) -> int: ...
    def event_destroy(self, event: int) -> None: ...
    def event_record(self, event: int, stream: int = 0) -> None: ...
    def event_synchronize(self, event: int) -> None: ...
    def event_elapsed_ms(self, start: int, end: int) -> float:
        """Milliseconds between two recorded events, about 0.5 us fine on a GPU."""

    def graph_begin(self, stream: int) -> None:
        """From here on the stream records its work instead of doing it."""

    def graph_end(self, stream: int) -> int:
        """Ends the recording; the graph of what was recorded."""

    def graph_launch(self, graph: int, stream: int) -> None:
        """Enqueues all that was recorded."""

    def graph_destroy(self, graph: int) -> None: ...
    def sim_configure(
        self, schedule_seed: int = 0, workers: int = 0, time_limit_ms: int = 0, poison: int = 0
    ) -> None:
        """Sets the simulator's options of this process; see camp_sim_options_t."""

    def sim_reset(self) -> None:
        """Restores the simulator's default options."""

    def sim_take_report(self) -> str:
        """
        All the simulator saw since the last call, as JSON (see simulator.h), and forgets it.
        """

class Tensor:
    """
    An array seen in place: address, dtype, shape, and a reference to its owner.
    """

    def __init__(self, array: object, dtype: str | None = None, writable: bool = True) -> None:
        """
        Looks at an array with DLPack or the buffer protocol, or at a DLPack capsule.

        `dtype` ("f32", "bf16", ...) overrides the array's own of the same size; with
        `writable` false the array cannot be an output, even if it could be written to.
        Raises DTypeError for what is no such array, ShapeError for more than 8 axes.
        """

    @staticmethod
    def from_pointer(
        pointer: int,
        dtype: str,
        shape: Sequence[int],
        strides: Sequence[int] | None = None,
        owner: object | None = None,
        writable: bool = True,
        place: str | None = None,
        device: int = 0,
    ) -> Tensor:
        """
        Describes memory at an address.

        `strides` count elements (None: contiguous); `owner` is kept alive. `place` is "host",
        "cuda" (then `device` counts), or None: not checked.
        """

    @property
    def pointer(self) -> int: ...
    @property
    def dtype(self) -> str: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def strides(self) -> tuple[int, ...]:
        """Steps in elements."""

    @property
    def writable(self) -> bool: ...

class Prepared:
    """
    An operator created for given arrays. Calling it launches and returns.

    It keeps the arrays and the workspace alive. On `nvidia` the launch is asynchronous on the
    stream that was given; on `sim` the kernel has finished when the call returns.
    """

    def __call__(self) -> None:
        """
        Executes the operator. The GIL is released meanwhile.

        Raises KernelFault, LaunchError, WorkspaceTooSmallError or DeviceError.
        """

    def allocate_workspace(self) -> None:
        """
        Allocates the workspace, full of zeros; it is freed with this object.

        Raises OutOfDeviceMemoryError.
        """

    def bind_workspace(self, pointer: int, bytes: int, owner: object | None = None) -> None:
        """
        Uses device memory of the caller's, aligned to 256, full of zeros and this object's from
        now on; `owner` is kept alive.
        """

    def direct_ns(self, count: int) -> float:
        """
        Nanoseconds of one call of the C function, averaged over `count` calls made in C++.

        What a Python call costs on top is the difference to a timed loop over the object.
        """

    @property
    def workspace_bytes(self) -> int:
        """Bytes of device memory that a call needs."""

    @property
    def device(self) -> int: ...
    @property
    def stream(self) -> int: ...

class Calls:
    """
    Operators made for eager calls, kept for the next call of the same kind: equal dtypes,
    shapes, strides, device, stream and attributes.
    """

    def run(self, arrays: tuple[object, ...], attributes: dict[str, float]) -> bool:
        """
        Runs the call with a kept operator; false when there is none, or anything about an
        argument is out of the ordinary. Raises what a Prepared raises.
        """

    def run_new(
        self,
        shape: tuple[int, ...] | None,
        inputs: tuple[object, ...],
        attributes: dict[str, float],
    ) -> object | None:
        """
        `run` into a new contiguous array of `shape` (None: that of the first input), which it
        returns; None where `run` is false or no new array can be made here.
        """

    def keep(
        self, arrays: tuple[object, ...], attributes: dict[str, float], prepared: Prepared
    ) -> None:
        """
        Keeps `prepared`, made for this call, for `run` alone: nobody else may call it again.
        """

    def __len__(self) -> int:
        """Operators kept, at most 256."""

class Operator:
    """One operator of one library."""

    def __init__(self, library: Library, path: str, name: str) -> None:
        """
        Loads `camp_<name>_vtable` from the library at `path`.

        Raises LibraryLoadError, also for another ABI version or another runtime.
        """

    def prepare(
        self,
        device: int,
        stream: int,
        tensors: Sequence[object],
        attributes: Sequence[float | int] = (),
        workspace: bool = True,
    ) -> Prepared:
        """
        Creates the operator for arrays given in the order of `tensors`.

        Each is a Tensor, an array, or (pointer, dtype, shape[, strides in elements]).
        Attributes left out take their defaults. With `workspace` false the caller binds one.
        Raises ShapeError, DTypeError, InvalidArgumentError (layout, device, a read-only
        output), NoDeviceError or OutOfDeviceMemoryError.
        """

    def calls(
        self,
        type: type,
        exchange: object,
        capturing: Callable[[], bool] | None = None,
        empty: Callable[[tuple[int, ...], tuple[int, ...], object], object] | None = None,
    ) -> Calls | None:
        """
        An empty store of operators for eager calls on arrays of exactly `type`.

        `exchange` is the capsule that DLPack's __dlpack_c_exchange_api__ gives; None without one.
        The arrays have requires_grad and is_neg() as torch's do. `capturing` tells whether the
        current stream records a graph; `empty` makes an array on the only GPU from shape,
        strides and dtype.
        """

    @property
    def name(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def tensors(self) -> list[tuple[str, str]]:
        """(name, "input" or "output") in the order of the C functions."""

    @property
    def attributes(self) -> list[tuple[str, str, float | int]]:
        """(name, "f64" or "i64", default) in the order of the C functions."""
