"""test_check_command: `camp check` end to end: exit codes, output, JSON, what is stored."""

from __future__ import annotations

import re
import shutil

from camp.progress import ProgressStore

from .conftest import Clone
from .helpers import document, sentence


def test_a_pass_is_exit_0_and_stored(built: Clone) -> None:
    shutil.rmtree(built.root / ".camp", ignore_errors=True)
    done = built.run("check", "copy")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("copy: PASS on sim, ")
    assert "seed " in done.stdout
    assert "memory traffic: " in done.stdout
    [attempt] = ProgressStore(built.root / ".camp").attempts("copy")
    assert attempt.verdict == "PASS"
    assert attempt.cases_passed == attempt.cases_total > 20


def test_a_failure_is_exit_1_with_the_line_and_a_way_to_repeat_it(built: Clone) -> None:
    path = built.root / "late.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) ", ""))
    done = built.run("check", "copy", "--kernel", str(path))
    assert done.returncode == 1
    assert done.stdout.startswith("copy: OOB on sim, ")
    assert "late.cuh:8: " in done.stdout
    assert "8 |   y[i] = x[i];" in done.stdout
    [repeat] = [line for line in done.stdout.splitlines() if "repeat: " in line]
    words = repeat.split("`")[1].split()
    assert words[:2] == ["camp", "check"]
    again = built.run(*words[1:])
    assert again.stdout == done.stdout


def test_another_file_or_the_solution_is_no_attempt(built: Clone) -> None:
    shutil.rmtree(built.root / ".camp", ignore_errors=True)
    assert built.run("check", "copy", "--kernel", str(built.kernel)).returncode == 0
    assert built.run("check", "copy", "--solution").returncode == 0
    assert built.run("check", "copy", "--step", "1").returncode == 0
    assert ProgressStore(built.root / ".camp").attempts("copy") == []


def test_a_step_of_the_ladder_is_named_by_its_number(built: Clone) -> None:
    done = built.run("check", "copy", "--step", "1", "--seed", "5")
    assert "exercises/copy/steps/01_naive.cuh, seed 5" in done.stdout
    assert "copy has no step 9" in sentence(built.run("check", "copy", "--step", "9"), 2)
    unclear = built.run("check", "all", "--step", "1")
    assert "--step is for one operator" in sentence(unclear, 2)
    both = built.run("check", "copy", "--step", "1", "--solution")
    assert "--solution and --step exclude each other" in sentence(both, 2)


def test_an_untouched_scaffold_is_not_started(clone: Clone) -> None:
    done = clone.run("check", "softmax")
    assert done.returncode == 1
    assert done.stdout.startswith("softmax: NOT STARTED")
    assert "ops/softmax/nvidia/kernel.cuh:" in done.stdout
    assert "TODO" in done.stdout


def test_json_is_one_document_with_the_whole_grade(built: Clone) -> None:
    done = built.run("check", "copy", "relu", "--json", "--seed", "5")
    assert done.returncode == 0
    found = document(done)
    assert found["exit_code"] == 0
    assert [result["op"] for result in found["results"]] == ["copy", "relu"]
    assert {result["seed"] for result in found["results"]} == {5}
    assert all(result["cases"] for result in found["results"])


def test_counters_name_the_line_with_its_ideal(built: Clone) -> None:
    done = built.run("check", "copy", "--counters", "--backend", "sim")
    assert done.returncode == 0, done.stderr
    verdict, _, counters = done.stdout.partition("counters: one call of case f32-n=1048579")
    assert verdict.startswith("copy: PASS on sim, ")
    assert re.search(r" 4\.0/4\.0 +32\.0/32 +1\.00 +8 \|   if \(i < n\) y\[i\] = x\[i\];", counters)
    assert "kernel.cuh:8: a thread moves 4 bytes at a time" in counters
    assert "\033" not in counters
    assert " us" not in counters
    found = document(built.run("check", "copy", "--counters", "--backend", "sim", "--json"))
    [line] = [line for line in found["results"][0]["counters"]["lines"] if line["kinds"]]
    assert (line["file"], line["line"]) == (str(built.kernel), 8)
    assert line["global"]["sectors"] == line["global"]["ideal_sectors"]


def test_counters_of_a_failure_are_a_sentence_after_the_verdict(built: Clone) -> None:
    path = built.root / "counted_late.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) ", ""))
    done = built.run("check", "copy", "--kernel", str(path), "--counters", "--backend", "sim")
    assert done.returncode == 1
    assert done.stdout.startswith("copy: OOB on sim, ")
    assert "counters: they are of a kernel that passes" in done.stdout.splitlines()[-1]


def test_json_of_an_error(built: Clone) -> None:
    done = built.run("check", "copi", "--json")
    assert done.returncode == 2
    found = document(done)
    assert found["exit_code"] == 2
    assert found["error"]["kind"] == "UnknownOperatorError"
    assert "did you mean 'copy'?" in found["error"]["message"]


def test_several_operators_give_the_worst_exit_code(clone: Clone) -> None:
    """No build is needed: two are not started, and one does not compile."""
    for op in ("copy", "softmax"):
        assert clone.run("reset", op).returncode == 0
    assert clone.run("check", "copy", "softmax").returncode == 1


def test_a_race_is_explained_with_both_places_the_rule_and_the_lesson(built: Clone) -> None:
    path = built.root / "race.cuh"
    body = """__shared__ T tile[256];
  tile[threadIdx.x] = i < n ? x[i] : T(0);
  if (i < n) y[i] = tile[255 - threadIdx.x];"""
    path.write_text(built.kernel.read_text().replace("if (i < n) y[i] = x[i];", body))
    done = built.run("check", "copy", "--kernel", str(path), "--explain")
    assert done.returncode == 1
    said = done.stdout
    assert said.startswith("copy: RACE on sim, ")
    assert "race.cuh:9: " in said
    assert "race.cuh:10: " in said
    assert "the other access: thread " in said
    assert "  access: tile[" in said
    assert " of 256 elements, shared memory, " in said
    assert "  rule: Two threads touched the same bytes" in said
    assert "  docs: docs/reports/race.md" in said
    assert "  lesson: exercises/reduce_sum/lesson.md#races-and-barriers" in said
    assert "`__syncthreads()`: what any thread of the block did before it" in said

    found = document(built.run("check", "copy", "--kernel", str(path), "--explain", "--json"))
    failure = found["results"][0]["first_failure"]
    assert failure["kind"] == "race"
    assert failure["lesson"] == "exercises/reduce_sum/lesson.md#races-and-barriers"
    assert failure["docs"] == "docs/reports/race.md"
    assert failure["rule"].startswith("Two threads touched the same bytes")
    marked = failure["excerpt"] + failure["other_excerpt"]
    assert sum("^~~~" in line for line in marked) == 2
    assert any(line.startswith(" 9 |") for line in marked)
    assert any(line.startswith("10 |") for line in marked)


def test_without_explain_a_report_still_says_where_to_read_on(built: Clone) -> None:
    path = built.root / "past.cuh"
    path.write_text(built.kernel.read_text().replace("if (i < n) ", ""))
    done = built.run("check", "copy", "--kernel", str(path))
    assert (
        "  lesson: exercises/copy/lesson.md#bounds, or `camp explain out_of_bounds`" in done.stdout
    )
    assert "rule: " not in done.stdout
    found = document(built.run("check", "copy", "--kernel", str(path), "--json"))
    failure = found["results"][0]["first_failure"]
    assert failure["lesson"] == "exercises/copy/lesson.md#bounds"
    assert "rule" not in failure


def test_a_kind_of_report_can_be_read_about(built: Clone) -> None:
    done = built.run("explain", "race")
    assert done.returncode == 0
    assert done.stdout == (built.root / "docs/reports/race.md").read_text()
    wrong = built.run("explain", "raze")
    assert wrong.returncode == 2
    assert "there is no report of kind 'raze'" in wrong.stderr
    assert "out_of_bounds, " in wrong.stderr
