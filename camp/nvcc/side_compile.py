"""nvcc.side_compile: runs nvcc on a kernel beside the simulator's build and run.

It has a low priority, so that the verdict does not wait for it, and a process group of its own, so
that nothing of it outlives the check.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from camp import cutlass
from camp.configure import build_environment
from camp.counters.gpus import target_gpu
from camp.diagnostics import errors
from camp.errors import CampError
from camp.exercises import is_untouched
from camp.nvcc.cache import AnswerCache, read_dependencies
from camp.nvcc.ptxas import read_resources, readable
from camp.nvcc.report import COMPILED, FAILED, REFUSED, STOPPED, NvccReport
from camp.toolchain import Nvcc, find_nvcc
from camp.workspace import Workspace

# How long a check that has its verdict waits for the answer.
LIMIT_S = 10.0
VARIABLE = "CAMP_CHECK_NVCC"

# As in ops/cmake/nvidia.cmake, but for the device alone: what the host compiler makes of the rest
# is no news beside the simulator's build.
FLAGS = ("-std=c++17", "-lineinfo", "--expt-relaxed-constexpr", "-cubin", "-Xptxas=-v")
_NICENESS = 10
_IMPORTANT = ("CUDACXX", "CUDAFLAGS", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "CUDAHOSTCXX")


def enabled() -> bool:
    """Whether checks may ask nvcc: CAMP_CHECK_NVCC is not 0."""
    return os.environ.get(VARIABLE, "").strip() != "0"


def beside(
    workspace: Workspace, op: str, kernel: Path, *, wanted: bool = True
) -> AbstractContextManager[SideCompile | None]:
    """nvcc, which runs while the simulator is built and runs; None where it is not wanted, or the
    file is still the scaffold."""
    if not wanted or not enabled() or not kernel.is_file():
        return nullcontext()
    return (
        nullcontext()
        if is_untouched(workspace.root, op, kernel)
        else SideCompile(workspace, op, kernel)
    )


class SideCompile:
    """nvcc on one kernel file of an operator; a context manager that leaves no process behind.

    Where there is no nvcc, or the kernel needs headers that are not here, it does nothing.
    """

    def __init__(self, workspace: Workspace, op: str, kernel: Path) -> None:
        self._workspace = workspace
        self._op = op
        self._kernel = kernel.resolve()
        self._architecture = f"sm_{target_gpu().capability.replace('.', '')}"
        self._nvcc: Nvcc | None = None
        self._cache: AnswerCache | None = None
        self._answer: NvccReport | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: Path | None = None

    def __enter__(self) -> SideCompile:
        with contextlib.suppress(CampError, OSError):  # the check itself needs none of this
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    @property
    def running(self) -> bool:
        """Whether finish() would have to wait."""
        return self._process is not None and self._process.poll() is None

    def finish(self, limit_s: float = LIMIT_S) -> NvccReport | None:
        """The answer, waited for as long as `limit_s`; None where nvcc was not asked."""
        if self._process is None or self._nvcc is None or self._folder is None:
            return self._answer
        try:
            status = self._process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            self._answer = self._report(STOPPED, message=f"no answer within {limit_s:g} s")
        else:
            self._answer = self._read(status, self._folder)
        self._stop()
        return self._answer

    def _start(self) -> None:
        self._nvcc = find_nvcc()
        includes = self._includes()
        if self._nvcc is None or includes is None:
            return
        command = [str(self._nvcc.path), *FLAGS, f"-arch={self._architecture}", *includes]
        command += [f'-DCAMP_KERNEL_HEADER="{self._kernel}"', str(self._source())]
        question = [*command, self._version, *(os.environ.get(v, "") for v in _IMPORTANT)]
        self._cache = AnswerCache(self._cache_path(), question)
        self._answer = self._cache.load()
        if self._answer is not None:
            return
        self._folder = Path(tempfile.mkdtemp(prefix="camp-nvcc-"))
        environment = build_environment(
            self._workspace, {**self._nvcc.environment, "TMPDIR": str(self._folder)}
        )
        outputs = ["-MD", "-MF", str(self._folder / "kernel.d")]
        outputs += ["-o", str(self._folder / "kernel.cubin")]
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [*command, *outputs],
                cwd=self._workspace.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PGRP, self._process.pid, _NICENESS)

    def _stop(self) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if self.running:
                    os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _read(self, status: int, folder: Path) -> NvccReport:
        output = (folder / "log").read_text(encoding="utf-8", errors="replace")
        if status == 0:
            report = self._report(COMPILED, kernels=read_resources(output))
        else:
            report = self._refusal(output)
        if report.status in (COMPILED, REFUSED) and self._cache is not None:
            self._cache.store(report, self._dependencies(folder))
        return report

    def _refusal(self, output: str) -> NvccReport:
        """A refusal of the learner's code, unless no message points there."""
        files = [self._kernel, *sorted(self._kernel.parent.glob("*.cu*"))]
        found = errors(output, files)
        names = {str(path) for path in files}
        mine = [d for d in found if d.file in names or (d.file == "ptxas" and "'" in d.message)]
        if mine:
            told = (readable(diagnostic, self._kernel) for diagnostic in mine)
            # A template is refused for each of its types, with a sentence or two a time.
            first = {(found.file, found.line): found for found in reversed(list(told))}
            return self._report(REFUSED, diagnostics=tuple(first[key] for key in sorted(first)))
        lines = [line for line in output.splitlines() if line.strip()]
        message = str(found[0]) if found else (lines or ["it ended without a message"])[-1]
        return self._report(FAILED, message=message)

    def _report(self, status: str, **fields: object) -> NvccReport:
        return NvccReport(status, self._architecture, self._version, **fields)  # type: ignore[arg-type]

    @property
    def _version(self) -> str:
        major, minor = self._nvcc.version if self._nvcc else (0, 0)
        return f"{major}.{minor}"

    def _dependencies(self, folder: Path) -> list[Path]:
        """Files that the answer depends on; the toolkit's own go by its version."""
        root = self._nvcc.root if self._nvcc else Path("/")
        read = read_dependencies(folder / "kernel.d")
        outside = (root, Path("/usr/include"), Path("/usr/lib"))
        files = [Path(os.path.normpath(self._workspace.root / path)) for path in read]
        known = [self._kernel, self._source()]
        if not files:  # refused before it could list them
            known += sorted(self._workspace.root.glob("ops/common/*"))
            known += sorted(self._kernel.parent.glob("*.cu*"))
        local = [f for f in files if not any(f.resolve().is_relative_to(o) for o in outside)]
        return list(dict.fromkeys([*known, *local]))

    def _includes(self) -> list[str] | None:
        """Include folders; None when the kernel needs CuTe and its headers are not here."""
        root = self._workspace.root
        folders = [root / "native" / "include", root / "ops"]
        headers = None if cutlass.mode() == "OFF" else cutlass.find_cutlass()
        if headers is not None:
            folders.append(headers.include)
        elif cutlass.includes_cute([self._kernel]):
            return None
        return [f"-I{folder}" for folder in folders]

    def _source(self) -> Path:
        return self._workspace.operator_folder(self._op) / "nvidia" / f"{self._op}_cuda.cu"

    def _cache_path(self) -> Path:
        digest = hashlib.sha256(str(self._kernel).encode("utf-8", "surrogateescape")).hexdigest()
        return self._workspace.build_dir("sim") / "nvcc" / f"{self._op}_{digest[:10]}.json"
