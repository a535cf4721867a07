"""simulator.translate: rewrites one .cu file and the local headers it includes into C++.

    python -m camp.simulator.translate FILE.cu --output FILE.cc --depfile FILE.d
        [--include-dir DIR]... [--kernel KERNEL.cuh]

Only launches, starts of kernels, __shared__ declarations, __noinline__ and includes of translated
headers change. No line moves: every copy starts with `#line 1 "the original"`. Copies whose content
is unchanged are not written, so nothing that depends on them is rebuilt. Uses the standard library
only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from camp.simulator.declaration import declaration_bounds
from camp.simulator.edits import Edit, Refusal, apply_edits
from camp.simulator.kernels import device_code, rewrite_kernel, stands_for_global
from camp.simulator.launches import is_launch, rewrite_launch
from camp.simulator.lexer import Directive, Source
from camp.simulator.macros import GpuMacros, macro_body
from camp.simulator.qualifiers import rewrite_noinline
from camp.simulator.refusals import check_header, check_token
from camp.simulator.scan import Scan, scan_source
from camp.simulator.shared import rewrite_shared

_NESTED = "a kernel launched by a kernel (dynamic parallelism)"


class TranslationError(Exception):
    """Code the simulator cannot take; str() is `file:line:column: error: why`."""

    def __init__(self, path: str, line: int, column: int, message: str) -> None:
        super().__init__(f"{path}:{line}:{column}: error: {message}")
        self.path = path
        self.line = line
        self.column = column
        self.message = message


class Translator:
    """Translates a file and everything local that it includes.

    `copies` is the folder for translated headers, `include_dirs` where quoted includes are looked
    for after the including file's own folder, `kernel` what CAMP_KERNEL_HEADER names.
    """

    def __init__(
        self, copies: Path, include_dirs: Sequence[Path] = (), kernel: Path | None = None
    ) -> None:
        self.copies = copies
        self.include_dirs = [folder.absolute() for folder in include_dirs]
        self.kernel = kernel.absolute() if kernel else None
        self.dependencies: list[Path] = []  # every file read, in order
        self.outputs: dict[Path, str] = {}  # translated copies of headers
        self._gpu_macros = GpuMacros()
        self._kernel_words = {"__global__"}
        self._seen: dict[Path, Path] = {}  # header -> what to include instead

    def translate(self, path: Path) -> str:
        """The translated text of one file; its headers are added to `outputs`.

        Raises TranslationError for code the simulator refuses, OSError for an unreadable file.
        """
        text, _ = self._file(path.absolute())
        return text

    def _file(self, path: Path) -> tuple[str, bool]:
        """The translated text, and whether it differs in more than the spelling of includes."""
        self.dependencies.append(path)
        raw = path.read_bytes().decode("utf-8", "surrogateescape")
        source = Source(str(path), raw.removeprefix("\ufeff"))
        scan = scan_source(source.text)
        edits: list[Edit] = []
        changed = False
        try:
            for directive in scan.directives:
                if directive.name == "define":
                    self._gpu_macros.define(directive)
                    if stands_for_global(directive):
                        self._kernel_words.add(directive.body[0].text)
                    edits.extend(_macro(directive))
            changed = bool(edits)
            for directive in scan.directives:
                if directive.name == "include" and directive.body:
                    target, edit = self._include(source, directive, path)
                    changed = changed or target in self.outputs
                    edits.extend(edit)
            code = self._code(source, scan)
            changed = changed or bool(code)
            edits.extend(code)
        except Refusal as refusal:
            line, column = source.place(refusal.offset)
            raise TranslationError(str(path), line, column, refusal.message) from refusal
        quoted = str(path).replace("\\", "\\\\").replace('"', '\\"')
        return f'#line 1 "{quoted}"\n{apply_edits(source.text, edits)}', changed

    def _include(
        self, source: Source, directive: Directive, path: Path
    ) -> tuple[Path | None, list[Edit]]:
        """The file to include instead, if this names a local one, and the edit that does so."""
        first, last = directive.body[0], directive.body[-1]
        target: Path | None
        if first.kind == "string":
            name = first.text[1:-1]
            target = self._resolve(name, [path.parent, *self.include_dirs])
        elif first.text == "<":
            name = source.text[first.end : last.start]
            target = self._resolve(name, self.include_dirs)
        elif first.text == "CAMP_KERNEL_HEADER" and self.kernel is not None:
            name, target = first.text, self.kernel
        else:
            return None, []
        if target is None:
            check_header(name, first.start)
            return None, []
        replacement = self._header(target)
        return replacement, [Edit(first.start, last.end, f'"{replacement}"')]

    def _code(self, source: Source, scan: Scan) -> list[Edit]:
        """The edits outside of directives. Raises Refusal."""
        edits: list[Edit] = []
        tokens = scan.tokens
        on_device = device_code(tokens, {*self._kernel_words, "__device__"})
        done = 0  # tokens before this belong to a rewritten declaration
        for i, token in enumerate(tokens):
            check_token(tokens, i)
            if token.kind == "word" and (what := self._gpu_macros.refused(token.text)):
                raise Refusal(token.start, f"needs a GPU: {what}")
            if token.text == "<" and is_launch(tokens, i):
                launch = rewrite_launch(tokens, i)
                if any(i in code for code in on_device):
                    raise Refusal(launch[0].start, f"needs a GPU: {_NESTED}")
                edits.extend(launch)
            elif token.text in self._kernel_words:
                edits.extend(rewrite_kernel(tokens, i))
            elif token.text == "__noinline__":
                edits.extend(rewrite_noinline(tokens, i))
            elif token.text == "__shared__" and i >= done:
                bounds = declaration_bounds(tokens, i)
                if bounds is None:
                    continue
                start, done = bounds
                function = scan.in_function[i]
                edits.extend(rewrite_shared(source, tokens, start, done, in_function=function))
        return edits

    @staticmethod
    def _resolve(name: str, folders: Sequence[Path]) -> Path | None:
        for folder in folders:
            candidate = Path(os.path.normpath(folder / name))
            if candidate.is_file():
                return candidate
        return None

    def _header(self, path: Path) -> Path:
        """What to include for a header: its translated copy, or itself if it needs none."""
        if path not in self._seen:
            digest = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
            copy = self.copies / digest / path.name
            self._seen[path] = copy
            self.outputs[copy] = ""  # a header that includes itself must not recurse
            text, changed = self._file(path)
            if changed:
                self.outputs[copy] = text
            else:
                del self.outputs[copy]
                self._seen[path] = path
        return self._seen[path]


def _macro(directive: Directive) -> list[Edit]:
    """Launches, kernels and __noinline__ in the body of a #define."""
    parameters, tokens = macro_body(directive)
    edits: list[Edit] = []
    for i, token in enumerate(tokens):
        if token.text == "<" and is_launch(tokens, i):
            edits.extend(rewrite_launch(tokens, i, parameters=parameters))
        elif token.text == "__global__":
            edits.extend(rewrite_kernel(tokens, i))
        elif token.text == "__noinline__":
            edits.extend(rewrite_noinline(tokens, i))
        elif token.text == "__shared__":
            raise Refusal(
                token.start,
                "a macro cannot hold __shared__ here; write the declaration where it is used",
            )
    return edits


def write_if_changed(path: Path, text: str) -> bool:
    """Writes a file unless it already holds this text; atomically. Whether it wrote."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        if path.read_bytes() == data:
            return False
    except OSError:
        pass
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, path)
    return True


def depfile(output: str, dependencies: Sequence[Path]) -> str:
    """A Makefile rule that says what `output` was made from."""
    escaped = [
        str(path).replace("$", "$$").replace("#", "\\#").replace(" ", "\\ ")
        for path in dependencies
    ]
    return output.replace(" ", "\\ ") + ": " + " \\\n  ".join(escaped) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns 0, or 1 after printing one error."""
    parser = argparse.ArgumentParser(prog="camp.simulator.translate", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--depfile", type=Path)
    parser.add_argument("--include-dir", "-I", type=Path, action="append", default=[])
    parser.add_argument("--kernel", type=Path)
    options = parser.parse_args(arguments)
    copies = options.output.parent.absolute() / "headers"
    translator = Translator(copies, options.include_dir, options.kernel)
    try:
        text = translator.translate(options.file)
        # The build notices a changed header through the digest in the main file.
        digest = hashlib.sha256()
        for copy, content in sorted(translator.outputs.items()):
            digest.update(content.encode("utf-8", "surrogateescape"))
            write_if_changed(copy, content)
        write_if_changed(options.output, f"{text}\n// headers: {digest.hexdigest()}\n")
        if options.depfile:
            write_if_changed(options.depfile, depfile(str(options.output), translator.dependencies))
    except TranslationError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename}:1:1: error: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
