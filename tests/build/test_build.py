"""camp.build on the simulator backend: what is built, what is not built again, what is told."""

from __future__ import annotations

import ctypes
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from camp.build import build_all, build_operators, build_variants, clean, configure, ensure_built
from camp.errors import BuildError, UnknownOperatorError, UsageError

if TYPE_CHECKING:
    from conftest import Clone

_loaded = 0


def answer(library: Path, op: str = "alpha") -> int:
    """Loads a copy, since a loaded library is never replaced."""
    global _loaded
    _loaded += 1
    copy = library.with_name(f"copy{_loaded}-{time.monotonic_ns()}.so")
    shutil.copy(library, copy)
    loaded = ctypes.CDLL(str(copy))
    result: int = getattr(loaded, f"{op}_answer")()
    copy.unlink()
    return result


def build(clone: Clone, *ops: str) -> dict[str, Path]:
    return ensure_built(clone.workspace, "sim", ops, clone.events.append)


def failure(clone: Clone, op: str) -> BuildError:
    with pytest.raises(BuildError) as caught:
        build(clone, op)
    return caught.value


# ---- what is built ----


def test_builds_what_was_asked_and_nothing_else(clone: Clone) -> None:
    libraries = build(clone, "alpha")
    assert libraries == {"alpha": clone.folder / "libcamp_op_alpha.so"}
    assert answer(libraries["alpha"]) == 1
    assert not (clone.folder / "libcamp_op_beta.so").exists()
    assert not (clone.folder / "libcamp_ops.so").exists()


def test_events_count_up_to_the_total(clone: Clone) -> None:
    build(clone, "alpha")
    kinds = [event.kind for event in clone.events]
    assert kinds[0] == "configure"
    compiles = [event for event in clone.events if event.kind == "compile"]
    assert [event.done for event in compiles] == list(range(1, len(compiles) + 1))
    assert compiles[-1].done == compiles[-1].total


def test_an_edit_rebuilds_that_operator_only(clone: Clone) -> None:
    build(clone, "alpha", "beta")
    clone.steps()
    clone.kernel("alpha", 11)
    libraries = build(clone, "alpha", "beta")
    steps = clone.steps()
    assert [answer(libraries[op], op) for op in ("alpha", "beta")] == [11, 2]
    assert len(steps) == 3  # translate, compile, link
    assert not any("beta" in step or "runtime" in step for step in steps)


def test_nothing_changed_is_nothing_done(clone: Clone) -> None:
    build(clone, "alpha")
    clone.steps()
    started = time.monotonic()
    build(clone, "alpha")
    seconds = time.monotonic() - started
    assert clone.events == []
    assert seconds < 1.0


def test_touching_a_kernel_translates_but_compiles_nothing(clone: Clone) -> None:
    build(clone, "alpha")
    clone.steps()
    kernel = clone.workspace.kernel("alpha")
    kernel.write_text(kernel.read_text())
    build(clone, "alpha")
    assert [step.split()[0] for step in clone.steps()] == ["Translating"]
    build(clone, "alpha")
    assert clone.steps() == []


def test_a_header_shared_by_operators_rebuilds_both(clone: Clone) -> None:
    clone.write("ops/common/number.cuh", "#pragma once\n#define NUMBER 5\n")
    for op in ("alpha", "beta"):
        kernel = clone.kernel(op, 0)
        text = kernel.read_text().replace("*x = 0", "*x = NUMBER")
        kernel.write_text('#include "common/number.cuh"\n' + text)
    libraries = build(clone, "alpha", "beta")
    assert [answer(library, op) for op, library in libraries.items()] == [5, 5]
    clone.write("ops/common/number.cuh", "#pragma once\n#define NUMBER 6\n")
    libraries = build(clone, "alpha", "beta")
    assert [answer(library, op) for op, library in libraries.items()] == [6, 6]


def test_a_rebuilt_library_is_a_new_file(clone: Clone) -> None:
    """Writing into the old file would crash a process that has it loaded."""
    library = build(clone, "alpha")["alpha"]
    with library.open("rb") as still_open:
        clone.kernel("alpha", 12)
        build(clone, "alpha")
        assert library.stat().st_ino != Path(f"/proc/self/fd/{still_open.fileno()}").stat().st_ino


def test_a_new_operator_needs_no_other_file(clone: Clone) -> None:
    build(clone, "alpha")
    clone.add("gamma", 3)
    assert answer(build(clone, "gamma")["gamma"], "gamma") == 3


def test_a_new_source_file_of_an_operator_is_found(clone: Clone) -> None:
    build(clone, "alpha")
    clone.write("ops/alpha/nvidia/helper.cu", "int helper_answer() { return 21; }\n")
    clone.write(
        "ops/alpha/nvidia/kernel.cuh",
        "int helper_answer();\ninline void launch(int *x) { *x = helper_answer(); }\n",
    )
    assert answer(build(clone, "alpha")["alpha"]) == 21


def test_all_builds_every_operator_and_the_whole_library(clone: Clone) -> None:
    results = build_all(clone.workspace, "sim")
    assert set(results) == {"alpha", "beta", "camp_ops"}
    assert all(isinstance(result, Path) and result.is_file() for result in results.values())


def test_functions_of_the_same_name_do_not_meet_in_the_whole_library(clone: Clone) -> None:
    """Both kernels define an inline launch(); a linker would keep one of the two."""
    whole = build_all(clone.workspace, "sim")["camp_ops"]
    assert isinstance(whole, Path)
    assert (answer(whole, "alpha"), answer(whole, "beta")) == (1, 2)


def test_an_unknown_operator_is_suggested(clone: Clone) -> None:
    with pytest.raises(UnknownOperatorError, match="did you mean 'alpha'") as caught:
        build(clone, "alhpa")
    assert caught.value.exit_code == 2


def test_configure_alone_and_forced(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    assert configure(clone.workspace, "sim", clone.events.append) == clone.folder
    assert [event.kind for event in clone.events] == ["configure"]
    clone.events.clear()
    configure(clone.workspace, "sim", clone.events.append)
    assert clone.events == []
    monkeypatch.setenv("CAMP_FORCE_RECONFIGURE", "1")
    for _ in range(2):  # once a process and folder, or every step of one command would do it
        configure(clone.workspace, "sim", clone.events.append)
    assert [event.kind for event in clone.events] == ["configure"]


def test_clean_removes_the_folder(clone: Clone) -> None:
    build(clone, "alpha")
    assert clean(clone.workspace, "sim") == clone.folder
    assert not clone.folder.exists()
    clean(clone.workspace, "sim")
    assert answer(build(clone, "alpha")["alpha"]) == 1


def test_build_dir_is_obeyed(clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BUILD_DIR", str(tmp_path / "elsewhere"))
    assert build(clone, "alpha")["alpha"].parent == tmp_path / "elsewhere"
    monkeypatch.setenv("BUILD_DIR", "relative")
    assert build(clone, "alpha")["alpha"].parent == clone.root / "relative"


def test_a_folder_with_other_files_is_left_alone(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "thesis.txt").write_text("years of work")
    monkeypatch.setenv("BUILD_DIR", str(home))
    for action in (lambda: build(clone, "alpha"), lambda: clean(clone.workspace, "sim")):
        with pytest.raises(UsageError, match="not a build of Camp"):
            action()
    assert [path.name for path in home.iterdir()] == ["thesis.txt"]


# ---- what is told ----


def test_a_compile_error_names_the_learners_line(clone: Clone) -> None:
    kernel = clone.kernel("alpha", 1)
    kernel.write_text(kernel.read_text().replace("*x = 1;", "*x = undefined_name;"))
    error = failure(clone, "alpha")
    first = error.diagnostics[0]
    assert (first.file, first.line) == (str(kernel), 3)
    assert "undefined_name" in first.message
    assert error.exit_code == 3
    assert f"{kernel}:3:" in error.message
    assert (clone.folder / "camp-build.log").read_text().count("undefined_name") >= 1


def test_a_broken_operator_never_stops_another(clone: Clone) -> None:
    clone.write("ops/alpha/nvidia/kernel.cuh", "this is not C++\n")
    results = build_operators(clone.workspace, "sim", ["alpha", "beta"])
    assert isinstance(results["alpha"], BuildError)
    assert isinstance(results["beta"], Path)
    assert answer(results["beta"], "beta") == 2
    assert build(clone, "beta")

    everything = build_all(clone.workspace, "sim")
    assert isinstance(everything["camp_ops"], BuildError)
    assert everything["camp_ops"] is everything["alpha"]


def test_an_operator_without_sources_never_stops_another(clone: Clone) -> None:
    (clone.root / "ops/alpha/nvidia/alpha_cuda.cu").unlink()
    assert answer(build(clone, "beta")["beta"], "beta") == 2
    error = failure(clone, "alpha")
    assert "alpha" in error.message
    assert ".cu" in error.message


def test_an_error_inside_a_header_is_told_where_the_learner_caused_it(clone: Clone) -> None:
    kernel = clone.write(
        "ops/alpha/nvidia/kernel.cuh",
        "#include <cuda_runtime.h>\ninline void launch(int *x) {\n"
        "  struct Mine {};\n  camp_sim::library_helper(Mine{});\n  *x = 1;\n}\n",
    )
    first = failure(clone, "alpha").diagnostics[0]
    assert (first.file, first.line) == (str(kernel), 4)
    assert "no_such_member" in first.message
    assert "cuda_runtime.h" in first.message


def test_a_refusal_of_the_translator(clone: Clone) -> None:
    kernel = clone.write("ops/alpha/nvidia/kernel.cuh", "\n  #include <mma.h>\n")
    first = failure(clone, "alpha").diagnostics[0]
    assert (first.file, first.line, first.column) == (str(kernel), 2, 12)
    assert first.message.startswith("needs a GPU: ")


def test_a_function_never_defined_is_an_error_of_the_build(clone: Clone) -> None:
    kernel = clone.write(
        "ops/alpha/nvidia/kernel.cuh",
        "void forgotten(int *x);\ninline void launch(int *x) {\n  forgotten(x);\n}\n",
    )
    error = failure(clone, "alpha")
    assert "forgotten" in error.diagnostics[0].message
    assert (error.diagnostics[0].file, error.diagnostics[0].line) == (str(kernel), 3)


def test_a_missing_kernel_file(clone: Clone) -> None:
    build(clone, "alpha")
    clone.workspace.kernel("alpha").unlink()
    first = failure(clone, "alpha").diagnostics[0]
    assert first.file == str(clone.workspace.kernel("alpha"))
    assert "No such file" in first.message


def test_the_error_is_gone_once_mended(clone: Clone) -> None:
    clone.write("ops/alpha/nvidia/kernel.cuh", "broken\n")
    failure(clone, "alpha")
    clone.kernel("alpha", 7)
    assert answer(build(clone, "alpha")["alpha"]) == 7


# ---- variants ----


def variant(clone: Clone, name: str, number: int | str) -> Path:
    clone.kernel("alpha", 1)
    text = clone.workspace.kernel("alpha").read_text().replace("*x = 1", f"*x = {number}")
    return clone.write(name, text)


def test_variants_build_beside_the_learners_kernel(clone: Clone) -> None:
    one, two = variant(clone, "other place/one.cuh", 31), variant(clone, "two.cuh", 32)
    built = build_variants(clone.workspace, "sim", [("alpha", one), ("alpha", two)])
    assert {path: answer(library) for (_, path), library in built.items()} == {one: 31, two: 32}  # type: ignore[arg-type]
    assert answer(build(clone, "alpha")["alpha"]) == 1
    variant(clone, "two.cuh", 33)
    again = build_variants(clone.workspace, "sim", [("alpha", two)])["alpha", two]
    assert isinstance(again, Path)
    assert answer(again) == 33


def test_a_counted_variant_lies_beside_the_plain_one(clone: Clone) -> None:
    kernel = variant(clone, "one.cuh", 31)
    hook = b"__sanitizer_cov_trace_pc"
    found = {}
    for counted in (False, True):
        built = build_variants(clone.workspace, "sim", [("alpha", kernel)], counted=counted)
        library = built["alpha", kernel]
        assert isinstance(library, Path)
        assert answer(library) == 31
        found[library] = hook in library.read_bytes()
    assert list(found.values()) == [False, True]
    assert build(clone, "alpha")  # the manifest with a counted one is read back


def test_a_broken_variant(clone: Clone) -> None:
    good, bad = variant(clone, "good.cuh", 41), variant(clone, "bad.cuh", "oops")
    wanted = [("alpha", bad), ("alpha", good)]
    built = build_variants(clone.workspace, "sim", wanted, keep_going=True)
    error, library = built["alpha", bad], built["alpha", good]
    assert isinstance(error, BuildError)
    assert (error.diagnostics[0].file, error.diagnostics[0].line) == (str(bad), 3)
    assert isinstance(library, Path)
    assert answer(library) == 41
    with pytest.raises(BuildError):
        build_variants(clone.workspace, "sim", wanted)


def test_a_variant_whose_file_is_gone_is_forgotten(clone: Clone) -> None:
    gone = variant(clone, "gone.cuh", 51)
    build_variants(clone.workspace, "sim", [("alpha", gone)])
    gone.unlink()
    assert build(clone, "alpha")
    assert "gone.cuh" not in (clone.folder / "variants.cmake").read_text()
