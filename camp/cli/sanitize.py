"""sanitize: `camp check OP --sanitize`, a kernel under NVIDIA's compute-sanitizer."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from camp.cli.bars import Bar
from camp.cli.building import BuildWatcher
from camp.cli.excerpt import shown_path
from camp.cli.fault_view import show_fault
from camp.cli.gpu_only import require_nvidia
from camp.cli.kernels import KernelChoice
from camp.cli.options import conclude
from camp.cli.terminal import Terminal, err, out
from camp.errors import EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_PASS
from camp.nvidia_tools import SANITIZER
from camp.workspace import Workspace

if TYPE_CHECKING:
    from camp.sanitize.result import Finding, SanitizeResult, ToolRun

_SHOWN_FINDINGS = 5


def sanitize_operators(
    workspace: Workspace,
    ops: list[str],
    backend: str | None,
    kernels: KernelChoice,
    words: str,
    *,
    seed: int | None = None,
    as_json: bool = False,
) -> int:
    """Builds, checks and shows; the exit code: 1 for a finding, 4 where a checker failed."""
    from camp.sanitize.run import sanitize, tools_of

    tools = tools_of(words)
    instead = f"the simulator already checks this: `camp check {' '.join(ops)} --backend sim`"
    require_nvidia(backend, "--sanitize", SANITIZER, instead)
    results: list[SanitizeResult] = []
    for op in ops:
        with Bar(f"{op}:") as bar:
            result = sanitize(
                workspace,
                op,
                tools=tools,
                kernel=kernels.path(workspace, op),
                seed=seed,
                on_build=BuildWatcher(bar, err()),
                on_tool=lambda tool, done, total: bar.update(done, total, tool),
            )
        if not as_json:
            if results:
                out().raw()
            show_sanitized(out(), result, _repeat(result, kernels, words), workspace)
            out().flush()
        results.append(result)
    codes = {result.exit_code for result in results}
    code = next((c for c in (EXIT_FAILED, EXIT_ENVIRONMENT) if c in codes), EXIT_PASS)
    conclude(results, code, as_json, None)
    return code


def _repeat(result: SanitizeResult, kernels: KernelChoice, words: str) -> str:
    command = ["camp", "check", result.op, "--sanitize", words, *kernels.words()]
    return shlex.join([*command, "--seed", str(result.seed)])


def show_sanitized(
    terminal: Terminal, result: SanitizeResult, repeat: str, workspace: Workspace
) -> None:
    """Prints what each checker found, with the learner's lines."""
    names = ", ".join(run.tool for run in result.runs)
    wrong = len(result.findings)
    if wrong:
        text, color = f"{wrong} finding{'s' if wrong > 1 else ''} on nvidia", "red"
    elif result.exit_code == EXIT_PASS:
        text, color = "nothing found on nvidia", "green"
    else:
        text, color = "not clean on nvidia", "red"
    terminal.say(f"{text} ({names})", color, "bold", label=f"{result.op}: ")
    terminal.say(
        f"{shown_path(result.kernel)}, {result.cases} small cases, seed {result.seed}", indent=2
    )
    for run in result.runs:
        _show_run(terminal, run, result, workspace)
    if result.exit_code != EXIT_PASS:
        terminal.say(f"`{repeat}`", "dim", label="repeat: ", indent=2)


def _show_run(
    terminal: Terminal, run: ToolRun, result: SanitizeResult, workspace: Workspace
) -> None:
    if run.clean:
        return
    count = f"{run.cases} case{'' if run.cases == 1 else 's'} run"
    terminal.say(count, "bold", label=f"{run.tool}: ", indent=2)
    for finding in run.findings[:_SHOWN_FINDINGS]:
        _show_finding(terminal, finding, result.op, workspace)
    if len(run.findings) > _SHOWN_FINDINGS:
        terminal.say(f"and {len(run.findings) - _SHOWN_FINDINGS} more", indent=2)
    if run.cut:
        text = "it reports no more than this at once: there may be others when these are mended"
        terminal.say(text, "yellow", label="note: ", indent=2)
    for text, label in ((run.failure, "failed: "), (run.trouble, f"{SANITIZER}: ")):
        if text:
            terminal.say(text, "red", label=label, indent=2)


def _show_finding(terminal: Terminal, finding: Finding, op: str, workspace: Workspace) -> None:
    from camp.cli.explain import say_lesson
    from camp.report_pages import load_page

    fault = finding.fault
    show_fault(terminal, fault)
    if finding.case:
        terminal.say(finding.case, label="first seen in case: ", indent=2)
    terminal.say(fault.advice, "cyan", label="advice: ", indent=2)
    page = load_page(workspace.root, fault.kind, op)
    if page is not None:
        say_lesson(terminal, page)
