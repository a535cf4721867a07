"""profile: one call of an operator under NVIDIA's Nsight Compute, as a short table."""

from __future__ import annotations

from typing import Annotated

import typer

from camp.cli.bars import Bar
from camp.cli.building import BuildWatcher
from camp.cli.gpu_only import require_nvidia
from camp.cli.kernels import KernelChoice, KernelOption, SolutionOption, StepOption
from camp.cli.options import Backend, Json, conclude, operators, speak_json
from camp.cli.terminal import err, out
from camp.errors import EXIT_PASS, UsageError
from camp.nvidia_tools import PROFILER
from camp.workspace import Workspace


def profile(
    name: Annotated[str, typer.Argument(metavar="OP", help="An operator id.")],
    case: Annotated[
        str | None,
        typer.Option(
            "--case", metavar="NAME", help="A case of `camp bench`. Default: one of them."
        ),
    ] = None,
    backend: Backend = None,
    kernel: KernelOption = None,
    solution: SolutionOption = False,
    step: StepOption = None,
    as_json: Json = False,
) -> int:
    """Show what a kernel does on a GPU, and its next bottleneck."""
    speak_json(as_json)
    workspace = Workspace.find()
    ops = operators(workspace, [name])
    kernels = KernelChoice(kernel, solution, step)
    kernels.require_valid(ops)
    if len(ops) != 1:
        raise UsageError("camp profile is for one operator: name just that one")
    instead = f"the simulator counts too: `camp check {ops[0]} --counters --backend sim`"
    require_nvidia(backend, "camp profile", PROFILER, instead)
    from camp.cli.profile_view import show_profile
    from camp.profile.run import profile as run

    with Bar(f"{ops[0]}:") as bar:
        result = run(
            workspace,
            ops[0],
            case=case,
            kernel=kernels.path(workspace, ops[0]),
            on_build=BuildWatcher(bar, err()),
        )
    if not as_json:
        show_profile(out(), result)
    conclude([result], EXIT_PASS, as_json, None)
    return EXIT_PASS
