"""build: compiles operators for a backend, one library each; errors name the learner's line.

Every function holds a lock on the build folder, so two processes never build in it at once.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from camp.build_process import (
    LOCK_NAME,
    BuildEvent,
    Progress,
    disk_is_full,
    locked,
    storage_problem,
)
from camp.configure import MANIFEST_NAME, Settings, check_ours, empty
from camp.configure import configure as _configure
from camp.errors import BuildError, StorageError
from camp.ninja import LOG_NAME, Target, find_damage, read_results, run_ninja
from camp.spec import operator_ids, require_operator
from camp.workspace import Workspace

__all__ = [
    "BuildEvent",
    "build_all",
    "build_bench",
    "build_operators",
    "build_variants",
    "clean",
    "configure",
    "ensure_built",
]

ALL_LIBRARY = "camp_ops"
_VARIANT = re.compile(r"camp_add_variant\((\w+) (\w+) \[==\[(.*)\]==\]( COUNTED)?\)\Z")


class _Variant(NamedTuple):
    """An operator built from another kernel file."""

    op: str
    kernel: str
    counted: bool


def configure(
    workspace: Workspace, backend: str, progress: Progress | None = None, *, fresh: bool = False
) -> Path:
    """Configures the build folder and returns it. Raises ToolchainError or StorageError."""
    folder = workspace.build_dir(backend)
    check_ours(workspace, backend)
    with locked(folder, progress):
        known = _known_variants(folder)
        kernels = [Path(variant.kernel) for variant in known.values()]
        _configure(
            workspace,
            backend,
            variants=_manifest_text(known),
            kernels=kernels,
            fresh=fresh,
            progress=progress,
        )
    return folder


def ensure_built(
    workspace: Workspace, backend: str, ops: Sequence[str], progress: Progress | None = None
) -> dict[str, Path]:
    """Builds what is out of date of these operators; operator -> library.

    Raises BuildError for the first operator that does not compile, after trying all of them.
    """
    results = build_operators(workspace, backend, ops, progress)
    built: dict[str, Path] = {}
    for op, result in results.items():
        if isinstance(result, BuildError):
            raise result
        built[op] = result
    return built


def build_operators(
    workspace: Workspace, backend: str, ops: Sequence[str], progress: Progress | None = None
) -> dict[str, Path | BuildError]:
    """Like ensure_built, but an operator that does not compile yields its BuildError."""
    folder = workspace.build_dir(backend)
    targets = {op: _operator(workspace, folder, op) for op in ops}
    built = _build(workspace, backend, list(targets.values()), progress)
    return {op: built[target.name] for op, target in targets.items()}


def build_all(
    workspace: Workspace, backend: str, progress: Progress | None = None
) -> dict[str, Path | BuildError]:
    """Every operator, and libcamp_ops.so under the key "camp_ops".

    When an operator does not compile, camp_ops cannot be linked: its BuildError is the same.
    """
    folder = workspace.build_dir(backend)
    ops = {op: _operator(workspace, folder, op) for op in operator_ids(workspace.root)}
    kernels = tuple(path for target in ops.values() for path in target.learner_files)
    everything = Target(ALL_LIBRARY, folder / f"lib{ALL_LIBRARY}.so", kernels)
    built = _build(workspace, backend, [*ops.values(), everything], progress)
    results: dict[str, Path | BuildError] = {op: built[ops[op].name] for op in ops}
    failed = next((result for result in results.values() if isinstance(result, BuildError)), None)
    results[ALL_LIBRARY] = failed or built[ALL_LIBRARY]
    return results


def build_variants(
    workspace: Workspace,
    backend: str,
    variants: Sequence[tuple[str, Path]],
    keep_going: bool = False,
    progress: Progress | None = None,
    *,
    counted: bool = False,
) -> dict[tuple[str, Path], Path | BuildError]:
    """Builds operators from other kernel files; (operator, kernel) -> library.

    With `keep_going`, one that does not compile yields its BuildError; else the first is raised.
    `counted` libraries, for the simulator only, also report the branches that warps took.
    """
    folder = workspace.build_dir(backend)
    targets: dict[tuple[str, Path], Target] = {}
    for op, kernel in variants:
        require_operator(workspace.root, op)
        path = Path(os.path.abspath(kernel))
        name = f"{op}_{hashlib.sha256(str(path).encode()).hexdigest()[:10]}"
        name += "_counted" if counted else ""
        library = folder / "variants" / f"lib{name}.so"
        targets[op, kernel] = Target(name, library, (path,), _problem(workspace, op))
    check_ours(workspace, backend)
    manifest = {
        target.name: _Variant(op, str(target.learner_files[0]), counted)
        for (op, _), target in targets.items()
    }
    built = _build(workspace, backend, list(targets.values()), progress, manifest)
    results: dict[tuple[str, Path], Path | BuildError] = {}
    for key, target in targets.items():
        result = built[target.name]
        if isinstance(result, BuildError) and not keep_going:
            raise result
        results[key] = result
    return results


def build_bench(
    workspace: Workspace, op: str, progress: Progress | None = None
) -> dict[str, Path | BuildError]:
    """What a benchmark on nvidia needs beside the operator: "bench", the library of ceilings, and
    "cub" where the operator has such a peer; each a library or why it does not compile."""
    folder = workspace.build_dir("nvidia")
    names = {"bench": "camp_bench"}
    if (workspace.root / "native" / "bench" / "cub" / f"{op}.cu").is_file():
        names["cub"] = f"camp_bench_cub_{op}"
    targets = [Target(name, folder / f"lib{name}.so", ()) for name in names.values()]
    built = _build(workspace, "nvidia", targets, progress)
    return {key: built[name] for key, name in names.items()}


def clean(workspace: Workspace, backend: str) -> Path:
    """Empties the build folder and returns it; a folder that does not exist is clean."""
    folder = workspace.build_dir(backend)
    check_ours(workspace, backend)
    if not folder.exists():
        return folder
    try:
        with locked(folder, None):
            empty(folder)
        (folder / LOCK_NAME).unlink(missing_ok=True)
        folder.rmdir()
    except OSError as error:
        raise storage_problem(folder, error) from error
    return folder


def _operator(workspace: Workspace, folder: Path, op: str) -> Target:
    require_operator(workspace.root, op)
    name = f"camp_op_{op}"
    sources = sorted(workspace.operator_folder(op).glob("nvidia/*.cu*"))
    kernel = workspace.kernel(op)
    files = (kernel, *(path for path in sources if path != kernel))
    return Target(name, folder / f"lib{name}.so", files, _problem(workspace, op))


def _problem(workspace: Workspace, op: str) -> str:
    folder = workspace.operator_folder(op) / "nvidia"
    if any(folder.glob("*.cu")):
        return ""
    return f"{folder} has no .cu file: restore {op}_cuda.cu, or write it for a new operator"


# ---- the manifest of variants ----


def _known_variants(folder: Path) -> dict[str, _Variant]:
    """Variants of earlier calls whose kernel file still exists, by target."""
    try:
        lines = (folder / MANIFEST_NAME).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    matches = (match for match in map(_VARIANT.match, lines) if match)
    return {m[1]: _Variant(m[2], m[3], bool(m[4])) for m in matches if Path(m[3]).is_file()}


def _manifest_text(variants: dict[str, _Variant]) -> str:
    lines = [
        f"camp_add_variant({name} {op} [==[{kernel}]==]{' COUNTED' if counted else ''})\n"
        for name, (op, kernel, counted) in sorted(variants.items())
    ]
    return "".join(lines)


# ---- running ninja ----


def _build(
    workspace: Workspace,
    backend: str,
    targets: Sequence[Target],
    progress: Progress | None,
    variants: dict[str, _Variant] | None = None,
) -> dict[str, Path | BuildError]:
    """Builds targets; a damaged build folder is made anew once."""
    folder = workspace.build_dir(backend)
    hopeless = {t.name: BuildError(t.problem) for t in targets if t.problem}
    targets = [target for target in targets if not target.problem]
    if not targets:
        return {**hopeless}
    check_ours(workspace, backend)
    with locked(folder, progress):
        known = {**_known_variants(folder), **(variants or {})}
        known = {name: value for name, value in known.items() if value.op in _ids(workspace)}
        manifest = _manifest_text(known)
        for fresh in (False, True):
            wanted = _configure(
                workspace,
                backend,
                variants=manifest,
                kernels=[Path(variant.kernel) for variant in known.values()],
                fresh=fresh,
                progress=progress,
            )
            status, output = _timed(folder, wanted, targets, progress)
            damaged = find_damage(targets, status, output)
            if not damaged:
                break
        try:
            (folder / LOG_NAME).write_text(output, encoding="utf-8")
        except OSError as error:
            raise storage_problem(folder, error) from error
    if (status != 0 or damaged) and disk_is_full(folder, output):
        raise StorageError(
            f"the disk is full: cannot write in {folder}",
            hint="free some space; nothing that was built is lost",
        )
    return {**hopeless, **read_results(folder, targets, status, output, damaged)}


def _timed(
    folder: Path, wanted: Settings, targets: Sequence[Target], progress: Progress | None
) -> tuple[int, str]:
    """run_ninja, and how long it took where it had something to do."""
    steps = 0

    def count(event: BuildEvent) -> None:
        nonlocal steps
        steps += 1
        if progress:
            progress(event)

    started = time.monotonic()
    status, output = run_ninja(folder, wanted, targets, count)
    if progress and steps:
        text = f"Built in {time.monotonic() - started:.1f} s"
        progress(BuildEvent("done", steps, steps, text))
    return status, output


def _ids(workspace: Workspace) -> set[str]:
    return set(operator_ids(workspace.root))
