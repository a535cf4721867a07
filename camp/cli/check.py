"""check: grade kernels, show the grades, remember them."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from camp.cli.kernels import (
    OWN_KERNEL,
    KernelChoice,
    KernelOption,
    SolutionOption,
    StepOption,
)
from camp.cli.options import Backend, Json, conclude, operators, speak_json
from camp.cli.terminal import err, out
from camp.errors import EXIT_BUILD, EXIT_FAILED, EXIT_PASS, StorageError, UsageError
from camp.git import commit
from camp.progress import Attempt, ProgressStore, kernel_hash, now
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.grading.result import CheckResult
    from camp.nvcc.report import NvccReport
    from camp.nvcc.side_compile import SideCompile


def check(
    names: Annotated[
        list[str], typer.Argument(metavar="OP...", help="Operator ids, or all of them.")
    ],
    backend: Backend = None,
    kernel: KernelOption = None,
    solution: SolutionOption = False,
    step: StepOption = None,
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, help="Repeat a check with the seed that it printed."),
    ] = None,
    counters: Annotated[
        bool, typer.Option("--counters", help="Show what each line costs, counted on sim.")
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show the rule that was broken, and what the lesson says."),
    ] = False,
    sanitize: Annotated[
        str | None,
        typer.Option(
            "--sanitize",
            metavar="[TOOLS]",
            help="On a GPU, run small cases under NVIDIA's compute-sanitizer instead: memcheck, "
            "racecheck, initcheck, synccheck, several with commas, or all (the default).",
        ),
    ] = None,
    nvcc: Annotated[
        bool,
        typer.Option(help="On sim, also ask an nvcc that is here what it makes of the kernel."),
    ] = True,
    as_json: Json = False,
) -> int:
    """Grade your kernel of an operator."""
    speak_json(as_json)
    workspace = Workspace.find()
    ops = operators(workspace, names)
    kernels = KernelChoice(kernel, solution, step)
    kernels.require_valid(ops)
    if sanitize is not None:
        if counters or explain:
            raise UsageError(
                f"--sanitize and --{'counters' if counters else 'explain'} exclude each other"
            )
        from camp.cli.sanitize import sanitize_operators

        return sanitize_operators(
            workspace, ops, backend, kernels, sanitize, seed=seed, as_json=as_json
        )
    chosen = workspace.backend(backend)
    results = check_operators(
        workspace,
        ops,
        chosen,
        kernels,
        seed=seed,
        counters=counters,
        explain=explain,
        nvcc=nvcc,
        as_json=as_json,
    )
    return exit_code(results)


def check_operators(
    workspace: Workspace,
    ops: list[str],
    backend: str,
    kernels: KernelChoice = OWN_KERNEL,
    *,
    seed: int | None = None,
    counters: bool = False,
    explain: bool = False,
    nvcc: bool = False,
    as_json: bool = False,
) -> list[CheckResult]:
    """Grades, shows and stores. A failure to store raises when every verdict has been shown."""
    from camp.cli.explain import Explained
    from camp.nvcc.side_compile import beside

    results: list[CheckResult] = []
    trouble: StorageError | None = None
    for op in ops:
        path = kernels.path(workspace, op)
        wanted = nvcc and backend == "sim"
        with beside(workspace, op, path or workspace.kernel(op), wanted=wanted) as side:
            result = _grade(workspace, op, backend, path, seed, counters)
            # Stored before it is shown: a reader such as `head` may end this process while it
            # prints.
            if kernels.is_own and result.verdict.value != "NOT_STARTED":
                trouble = _remember(workspace, result) or trouble
            if not as_json:
                if results:
                    out().raw()
                _show(result, kernels, workspace.root, explain)
                out().flush()  # the verdict first: nvcc may take longer
            if side is not None and result.verdict.value not in ("NOT_STARTED", "BUILD"):
                result = result.with_nvcc(_answer(side, op))
        results.append(result)
        if not as_json:
            _show_rest(result, counters)
            out().flush()
    explained = [Explained(result, workspace.root, explain) for result in results]
    conclude(explained, exit_code(results), as_json, trouble)
    return results


def exit_code(results: list[CheckResult]) -> int:
    """0 when all pass, 3 when one did not build, else 1."""
    codes = {result.exit_code for result in results}
    for code in (EXIT_BUILD, EXIT_FAILED):
        if code in codes:
            return code
    return EXIT_PASS


def _answer(side: SideCompile, op: str) -> NvccReport | None:
    from camp.cli.bars import Bar

    with Bar(f"{op}:", enabled=side.running) as bar:
        bar.update(0, 1, "nvcc")
        return side.finish()


def _grade(
    workspace: Workspace,
    op: str,
    backend: str,
    kernel: Path | None,
    seed: int | None,
    counters: bool,
) -> CheckResult:
    from camp.cli.bars import Bar
    from camp.cli.building import BuildWatcher
    from camp.grading.check import check as grade

    with Bar(f"{op}:") as bar:
        return grade(
            workspace,
            op,
            backend=backend,
            kernel=kernel,
            seed=seed,
            on_case=lambda case, done, total: bar.update(done, total, case.id),
            on_build=BuildWatcher(bar, err()),
            counters=counters,
        )


def _show(result: CheckResult, kernels: KernelChoice, root: Path, explain: bool) -> None:
    from camp.cli.check_view import show_result

    words = ["camp", "check", result.op, "--backend", result.backend, *kernels.words()]
    repeat = shlex.join([*words, "--seed", str(result.seed)])
    show_result(out(), result, repeat, root, explain=explain)


def _show_rest(result: CheckResult, counters: bool) -> None:
    """What is not the verdict."""
    if result.nvcc is not None:
        from camp.cli.nvcc_view import show_nvcc

        show_nvcc(out(), result.nvcc)
    if counters:
        from camp.cli.counters_view import show_counters_of_check

        show_counters_of_check(out(), result)


def _remember(workspace: Workspace, result: CheckResult) -> StorageError | None:
    """Stores the attempt; a failure is returned, so that the verdict is shown all the same."""
    store = ProgressStore(workspace.state_dir)
    attempt = Attempt(
        operator=result.op,
        backend=result.backend,
        verdict=result.verdict.value,
        made_at=now(),
        kernel_hash=kernel_hash(workspace.kernel(result.op)),
        seed=result.seed,
        cases_passed=result.passed,
        cases_total=len(result.cases) + result.not_run,
        git_commit=commit(workspace.root),
    )
    try:
        store.record_attempt(attempt)
    except StorageError as error:
        return error
    finally:
        for notice in store.notices:
            err().say(notice, "yellow", label="notice: ")
    return None
