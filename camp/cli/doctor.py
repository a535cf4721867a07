"""doctor: what Camp needs on this machine, what is missing, and the command that helps."""

from __future__ import annotations

from camp.cli.terminal import out
from camp.errors import EXIT_ENVIRONMENT, EXIT_PASS, WorkspaceError
from camp.workspace import Workspace


def doctor() -> int:
    """Say what is here, what is missing and how to fix it."""
    from camp.doctor import MISSING, OK, WARN, diagnose

    try:
        root = Workspace.find().root
    except WorkspaceError:
        root = None
    findings = diagnose(root)
    terminal = out()
    colors = {OK: "green", WARN: "yellow", MISSING: "red"}
    words = max(len(word) for word in colors)
    names = max(len(finding.name) for finding in findings)
    for finding in findings:
        label = f"{finding.status:<{words}}  {finding.name:<{names}}  "
        terminal.say(finding.detail, colors[finding.status], label=label)
        if finding.fix:
            terminal.say(finding.fix, "cyan", label="fix: ", indent=words + 2)
    missing = [finding.name for finding in findings if finding.status == MISSING]
    if missing:
        terminal.say(f"not ready: {', '.join(missing)}", "red", "bold")
        return EXIT_ENVIRONMENT
    terminal.say("ready", "green", "bold")
    return EXIT_PASS
