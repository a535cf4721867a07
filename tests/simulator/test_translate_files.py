"""What the translator leaves alone, which headers it follows, and what it writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from camp.simulator.translate import TranslationError, Translator, main
from camp.toolchain import find_cxx

SHARED = "void f() { __shared__ float a[2]; }\n"


def translate(text: str | bytes, folder: Path) -> str:
    path = folder / "file.cu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return Translator(folder / "headers").translate(path)


def body(text: str | bytes, folder: Path) -> str:
    header, _, rest = translate(text, folder).partition("\n")
    assert header == f'#line 1 "{folder / "file.cu"}"'
    return rest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// k<<<1, 2>>>(x); __shared__ float a[3];\n",
        "// continued \\\n k<<<1, 2>>>(x)\nint a;\n",
        "/* k<<<1, 2>>>(x)\n __shared__ float a[3]; */ int b;\n",
        'const char *s = "k<<<1, 2>>>(x); __shared__ float a;";\n',
        'const char *s = R"x(k<<<1, 2>>>(x) " )" __shared__ float a;)x";\n',
        "char c = '\"'; int big = 1'000'000; // it's fine <<<\n",
        "#error don't k<<<1, 2>>>(x)\n",
        "#pragma unroll\nint a = 1 << 2, b = 8 >> 1; bool c = a < b && b > a;\n",
        "A<B<C<int>>> x; auto y = &operator<<<int>;\n",
        "#if 0\nk<<<broken(\n__shared__ ???\n#endif\n",
        "unterminated /* comment __shared__",
        'unterminated "string __shared__\nint a;\n',
        "}} ) ] unbalanced ((\n",
    ],
)
def test_other_text_stays_as_it_is(text: str, tmp_path: Path) -> None:
    assert body(text, tmp_path) == text


def test_windows_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    text = b"// first\r\nvoid f() {\r\n  k<<<1,\r\n     2>>>(x);\r\n  __shared__ int a;\r\n}\r\n"
    lines = body(b"\xef\xbb\xbf" + text, tmp_path).encode().split(b"\r\n")
    assert lines[0] == b"// first"
    assert lines[1] == b"void f() {"
    assert b"::camp_sim::configure(1," in lines[2]
    assert b"auto &a" in lines[4]
    assert len(lines) == 7


def test_bytes_that_are_not_utf8_survive(tmp_path: Path) -> None:
    source = tmp_path / "file.cu"
    source.write_bytes(b"// caf\xe9\n" + SHARED.encode())
    output = tmp_path / "file.cc"
    assert main([str(source), "--output", str(output)]) == 0
    assert output.read_bytes().splitlines()[1] == b"// caf\xe9"


def test_a_path_with_quotes_and_blanks(tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" \\c'
    folder.mkdir()
    (folder / "file.cu").write_text("int line = __LINE__; const char *file = __FILE__;\n")
    text = Translator(tmp_path).translate(folder / "file.cu")
    (tmp_path / "out.cc").write_text(
        text + "#include <cstdio>\nint main() { puts(file); return line; }"
    )
    compiler = find_cxx()
    assert compiler is not None
    subprocess.run([compiler, tmp_path / "out.cc", "-o", tmp_path / "out"], check=True, timeout=60)
    result = subprocess.run([tmp_path / "out"], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip()) == (1, str(folder / "file.cu"))


# ---- headers ----


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A main file whose headers are found beside it, in an include folder and by macro."""
    files = {
        "op/main.cu": '#include "common/a.cuh"\n#include "beside.cuh"\n#include <cstdio>\n'
        "#include CAMP_KERNEL_HEADER\n#include <common/plain.h>\n",
        "op/beside.cuh": "#pragma once\nint beside;\n",
        "inc/common/a.cuh": '#pragma once\n#include "b.cuh"\n#include "plain.h"\n',
        "inc/common/b.cuh": '#pragma once\n#include "a.cuh"\n' + SHARED,
        "inc/common/plain.h": "#pragma once\nint plain;\n",
        "learner/kernel.cuh": '#include "common/b.cuh"\nvoid g() { k<<<1, 1>>>(); }\n',
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def run(tree: Path) -> int:
    words = [
        tree / "op/main.cu",
        "--output",
        tree / "out/main.cc",
        "--depfile",
        tree / "out/main.d",
    ]
    words += ["--include-dir", tree / "inc", "--kernel", tree / "learner/kernel.cuh"]
    return main([str(word) for word in words])


def test_follows_local_headers(tree: Path) -> None:
    assert run(tree) == 0
    copies = {path.name: path for path in (tree / "out/headers").rglob("*.cuh")}
    # b has a declaration, a includes b, the kernel has a launch; the others need no copy.
    assert sorted(copies) == ["a.cuh", "b.cuh", "kernel.cuh"]
    lines = (tree / "out/main.cc").read_text().splitlines()
    assert lines[1:6] == [
        f'#include "{copies["a.cuh"]}"',
        f'#include "{tree / "op/beside.cuh"}"',
        "#include <cstdio>",
        f'#include "{copies["kernel.cuh"]}"',
        f'#include "{tree / "inc/common/plain.h"}"',
    ]
    assert copies["b.cuh"].read_text().splitlines()[0] == f'#line 1 "{tree / "inc/common/b.cuh"}"'
    assert f'#include "{copies["b.cuh"]}"' in copies["kernel.cuh"].read_text()


def test_the_depfile_names_every_file_read(tree: Path) -> None:
    assert run(tree) == 0
    target, _, rest = (tree / "out/main.d").read_text().partition(":")
    assert target == str(tree / "out/main.cc")
    names = {Path(word) for word in rest.replace("\\\n", " ").split()}
    read = "op/main.cu op/beside.cuh inc/common/a.cuh inc/common/b.cuh inc/common/plain.h"
    assert names == {tree / name for name in [*read.split(), "learner/kernel.cuh"]}


def outputs(tree: Path) -> dict[str, int]:
    """Output -> time of its last write, after making every one look old."""
    files = [path for path in (tree / "out").rglob("*") if path.is_file()]
    return {str(path.relative_to(tree / "out")): path.stat().st_mtime_ns for path in files}


def test_writes_only_what_changed(tree: Path) -> None:
    assert run(tree) == 0
    for path in (tree / "out").rglob("*"):
        os.utime(path, (1, 1))
    before = outputs(tree)
    assert run(tree) == 0
    assert outputs(tree) == before

    kernel = tree / "learner/kernel.cuh"
    kernel.write_text(kernel.read_text() + "// a comment\n")
    assert run(tree) == 0
    after = outputs(tree)
    changed = {Path(name).name for name in after if after[name] != before.get(name)}
    # The main file too: its digest of the headers is what makes the build compile again.
    assert changed == {"kernel.cuh", "main.cc"}


def test_an_error_names_the_header(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "learner/kernel.cuh").write_text('\n  asm("mov.u32 %0, %laneid;");\n')
    assert run(tree) == 1
    expected = f"{tree / 'learner/kernel.cuh'}:2:3: error: needs a GPU: inline PTX (asm)\n"
    assert capsys.readouterr().err == expected
    assert not (tree / "out/main.cc").exists()


def test_a_missing_kernel_is_one_sentence(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "learner/kernel.cuh").unlink()
    assert run(tree) == 1
    error = capsys.readouterr().err
    assert error == f"{tree / 'learner/kernel.cuh'}:1:1: error: No such file or directory\n"


def test_a_header_that_includes_itself_ends(tmp_path: Path) -> None:
    (tmp_path / "self.cuh").write_text('#include "self.cuh"\n' + SHARED)
    text = translate('#include "self.cuh"\n', tmp_path)
    assert "self.cuh" in text


def test_refusals_in_headers_of_a_skipped_branch_do_not_count(tmp_path: Path) -> None:
    (tmp_path / "gpu.cuh").write_text("#include <mma.h>\n")
    text = '#ifndef CAMP_SIM\n#include "gpu.cuh"\n#include <cub/cub.cuh>\n#endif\n'
    assert body(text, tmp_path) == text
    with pytest.raises(TranslationError, match=r"gpu\.cuh:1:10: error: needs a GPU"):
        translate('#include "gpu.cuh"\n', tmp_path)
