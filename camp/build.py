"""build: compiles operators for a backend, one library each; errors name the learner's line.

Every function holds a lock on the build folder, so two processes never build in it at once.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from camp import diagnostics
from camp.build_process import (
    LOCK_NAME,
    BuildEvent,
    Progress,
    compile_event,
    locked,
    run,
    storage_problem,
)
from camp.configure import MANIFEST_NAME, Settings, check_ours, empty
from camp.configure import configure as _configure
from camp.elf import is_complete
from camp.errors import BuildError, StorageError
from camp.spec import operator_ids, require_operator
from camp.workspace import Workspace

__all__ = [
    "BuildEvent",
    "build_all",
    "build_operators",
    "build_variants",
    "clean",
    "configure",
    "ensure_built",
]

LOG_NAME = "camp-build.log"
ALL_LIBRARY = "camp_ops"
_VARIANT = re.compile(r"camp_add_variant\((\w+) (\w+) \[==\[(.*)\]==\]\)\Z")
# Signs that a file in the build folder is damaged, not the learner's code.
_DAMAGED = re.compile(
    r"^ninja: (?:error|fatal)|file truncated|file format not recognized|file not recognized"
    r"|not a PCH file|\.gch: (?:created|had|not)|error adding symbols|bad reloc|is truncated",
    re.MULTILINE,
)


@dataclass(frozen=True)
class _Target:
    """A library to build. `learner_files` are where its errors should be told; `problem` is why
    it cannot even be tried, or ""."""

    name: str
    library: Path
    learner_files: tuple[Path, ...]
    problem: str = ""


def configure(
    workspace: Workspace, backend: str, progress: Progress | None = None, *, fresh: bool = False
) -> Path:
    """Configures the build folder and returns it. Raises ToolchainError or StorageError."""
    folder = workspace.build_dir(backend)
    check_ours(workspace, backend)
    with locked(folder, progress):
        manifest = _manifest_text(_known_variants(folder))
        _configure(workspace, backend, variants=manifest, fresh=fresh, progress=progress)
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
    everything = _Target(ALL_LIBRARY, folder / f"lib{ALL_LIBRARY}.so", kernels)
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
) -> dict[tuple[str, Path], Path | BuildError]:
    """Builds operators from other kernel files; (operator, kernel) -> library.

    With `keep_going`, one that does not compile yields its BuildError; else the first is raised.
    """
    folder = workspace.build_dir(backend)
    targets: dict[tuple[str, Path], _Target] = {}
    for op, kernel in variants:
        require_operator(workspace.root, op)
        path = Path(os.path.abspath(kernel))
        name = f"{op}_{hashlib.sha256(str(path).encode()).hexdigest()[:10]}"
        library = folder / "variants" / f"lib{name}.so"
        targets[op, kernel] = _Target(name, library, (path,), _problem(workspace, op))
    check_ours(workspace, backend)
    manifest = {
        target.name: (op, str(target.learner_files[0])) for (op, _), target in targets.items()
    }
    built = _build(workspace, backend, list(targets.values()), progress, manifest)
    results: dict[tuple[str, Path], Path | BuildError] = {}
    for key, target in targets.items():
        result = built[target.name]
        if isinstance(result, BuildError) and not keep_going:
            raise result
        results[key] = result
    return results


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


def _operator(workspace: Workspace, folder: Path, op: str) -> _Target:
    require_operator(workspace.root, op)
    name = f"camp_op_{op}"
    sources = sorted(workspace.operator_folder(op).glob("nvidia/*.cu*"))
    kernel = workspace.kernel(op)
    files = (kernel, *(path for path in sources if path != kernel))
    return _Target(name, folder / f"lib{name}.so", files, _problem(workspace, op))


def _problem(workspace: Workspace, op: str) -> str:
    folder = workspace.operator_folder(op) / "nvidia"
    if any(folder.glob("*.cu")):
        return ""
    return f"{folder} has no .cu file: restore {op}_cuda.cu, or write it for a new operator"


# ---- the manifest of variants ----


def _known_variants(folder: Path) -> dict[str, tuple[str, str]]:
    """Variants of earlier calls whose kernel file still exists: target -> (operator, kernel)."""
    try:
        lines = (folder / MANIFEST_NAME).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    matches = (match for match in map(_VARIANT.match, lines) if match)
    return {m[1]: (m[2], m[3]) for m in matches if Path(m[3]).is_file()}


def _manifest_text(variants: dict[str, tuple[str, str]]) -> str:
    lines = [
        f"camp_add_variant({name} {op} [==[{kernel}]==])\n"
        for name, (op, kernel) in sorted(variants.items())
    ]
    return "".join(lines)


# ---- running ninja ----


def _build(
    workspace: Workspace,
    backend: str,
    targets: Sequence[_Target],
    progress: Progress | None,
    variants: dict[str, tuple[str, str]] | None = None,
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
        known = {name: value for name, value in known.items() if value[0] in _ids(workspace)}
        manifest = _manifest_text(known)
        for fresh in (False, True):
            wanted = _configure(
                workspace, backend, variants=manifest, fresh=fresh, progress=progress
            )
            status, output = _ninja(folder, wanted, targets, progress)
            damaged = _damage(targets, status, output)
            if not damaged:
                break
        try:
            (folder / LOG_NAME).write_text(output, encoding="utf-8")
        except OSError as error:
            raise storage_problem(folder, error) from error
    if "No space left on device" in output:
        raise StorageError(
            f"the disk is full: cannot write in {folder}",
            hint="free some space; nothing that was built is lost",
        )
    return {**hopeless, **_results(folder, targets, status, output, damaged)}


def _ids(workspace: Workspace) -> set[str]:
    return set(operator_ids(workspace.root))


def _ninja(
    folder: Path, wanted: Settings, targets: Sequence[_Target], progress: Progress | None
) -> tuple[int, str]:
    def on_line(line: str) -> None:
        event = compile_event(line)
        if event is not None and progress:
            progress(event)

    runtime = folder / "libcamp_runtime.so"
    if not (folder / f"libcamp_runtime_{wanted.values['backend']}.so").exists():
        runtime.unlink(missing_ok=True)  # the name operators load it by is made when it is linked
    for library in (runtime, *(target.library for target in targets)):
        if library.exists() and not is_complete(library):
            library.unlink()
    command = [str(wanted.values["ninja"]), "-C", str(folder), "-k", "0"]
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "")
    if jobs.isdigit() and int(jobs) > 0:
        command += ["-j", jobs]
    command += [target.name for target in targets]
    return run(command, cwd=folder, environment=wanted.environment, on_line=on_line)


def _damage(targets: Sequence[_Target], status: int, output: str) -> str:
    """What shows that the folder, not the code, is at fault; "" when nothing does."""
    if status == 0:
        broken = [target for target in targets if not is_complete(target.library)]
        return f"{broken[0].library} is not a complete library" if broken else ""
    match = _DAMAGED.search(output)
    return output[match.start() :].splitlines()[0] if match else ""


def _results(
    folder: Path, targets: Sequence[_Target], status: int, output: str, damaged: str
) -> dict[str, Path | BuildError]:
    blocks = _failures(output)
    results: dict[str, Path | BuildError] = {}
    names = [target.name for target in targets]
    shared = [text for outputs, text in blocks if not any(_concerns(n, outputs) for n in names)]
    for target in targets:
        own = [text for outputs, text in blocks if _concerns(target.name, outputs)]
        if status == 0 or not (own or shared or damaged):
            results[target.name] = target.library
            continue
        log = "\n".join([*own, *shared]) or output
        found = diagnostics.errors(log, target.learner_files)
        what = str(found[0]) if found else damaged or _last_line(log)
        results[target.name] = BuildError(
            what, diagnostics=found, log=log, hint=f"log: {folder / LOG_NAME}"
        )
    return results


def _concerns(name: str, outputs: str) -> bool:
    """Whether a failed step's outputs belong to a target."""
    return re.search(rf"(?<![A-Za-z0-9_])(?:lib)?{name}(?:_objects)?(?!\w)", outputs) is not None


def _failures(output: str) -> list[tuple[str, str]]:
    """ninja's failed steps: (their outputs, what the tool printed)."""
    found: list[tuple[str, str]] = []
    lines = output.splitlines()
    i = 0
    while i < len(lines):
        if not lines[i].startswith("FAILED:"):
            i += 1
            continue
        start = i
        i += 1
        while i < len(lines) and not re.match(r"\[\d+/\d+\] |FAILED:|ninja: ", lines[i]):
            i += 1
        found.append((lines[start], "\n".join(lines[start + 2 : i])))  # the command is line 1
    return found


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "the build failed without a message"
