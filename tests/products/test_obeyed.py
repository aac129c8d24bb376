"""Text that the linker, CMake and others obey leads nowhere outside of its folder."""

import subprocess
import time
from pathlib import Path

import pytest

from tfbuild.products.obeyed import leading_out

OUT = {  # file: text -> what is said of it
    ("lib/libq.so", "INPUT(/tmp/evil/libevil.so)\n"): "/tmp/evil/libevil.so",
    ("lib/libq.so", "/* GNU ld script */ GROUP ( libz.so AS_NEEDED ( /srv/x.so ) )"): "/srv/x.so",
    ("lib/libq.so", "/* GNU ld script */ SEARCH_DIR(=/srv/x);INPUT(-lq)"): "/srv/x",
    ("lib/libq.so", 'INPUT("$SYSROOT/srv/x.so")'): "/srv/x.so",
    ("lib/libq.so", "INPUT(//srv/x.so)"): "//srv/x.so",
    ("lib/libq.so", "INPUT(/usr/lib/../../srv/x.so)"): "/usr/lib/../../srv/x.so",
    ("lib/libq.so", "INPUT(-L/srv/x)"): "/srv/x",
    ("lib/libq.so", "INPUT(../../x.so)"): "../../x.so",
    ("lib/libq.so.1", "/**/INPUT /* in */ (/srv/x.so)"): "/srv/x.so",
    ("lib/libq.a", "INPUT(/srv/x.a)"): "/srv/x.a",
    ("lib/q.txt", " \n INPUT(/srv/x.a)"): "/srv/x.a",
    ("lib/libq.a", "!<thin>\n"): "members that are other files",
    ("lib/libq.a", "\0"): "what cannot be read as text",
    ("lib/cmake/q/qConfig.cmake", 'set(Q_LIB "/tmp/evil/libevil.so")'): "/tmp/evil/libevil.so",
    ("lib/cmake/q/qConfig.cmake", "#[[]] include(/srv/x.cmake )"): "/srv/x.cmake",
    ("lib/cmake/q/qConfig.cmake", "L a;/usr/local/lib/x.so"): "/usr/local/lib/x.so",
    ("lib/cmake/q/qConfig.cmake", "X $<BUILD_INTERFACE:/srv/x>"): "/srv/x>",
    ("lib/cmake/q/q.cmake", 'include("${CMAKE_CURRENT_LIST_DIR}/../../../../x.cmake")'): (
        "${CMAKE_CURRENT_LIST_DIR}/../../../../x.cmake"
    ),
    ("lib/libq.la", "libdir='/srv/x'"): "/srv/x",
    ("lib/libq.la", "dependency_libs=' -L/srv/x -lq'"): "/srv/x",
    ("lib/q.pc", "Libs: -L/srv/x"): "/srv/x",
    ("lib/q.pc", "Libs: -L'/srv/x'"): "/srv/x",
    ("lib/q.pc", "Libs: -Wl,-rpath,/srv/x"): "/srv/x",
    ("lib/q.pc", "prefix=${pcfiledir}/../.."): "${pcfiledir}/../..",
    ("lib/q.pc", "Libs: -L//srv/x"): "//srv/x",
    ("lib/q.pc", "root=/\nLibs: -L${root}srv/x"): "/",
    ("lib/q.pc", "s=${t}\nt=/\nLibs: -B${t}srv/x"): "/",
    ("lib/q.pc", "Libs: \\\nURL: -L/srv/x"): "/srv/x",
    ("lib/q.pc", "Cflags: -isystem/srv/x"): "/srv/x",
    ("lib/q.pc", "Cflags: -B/srv/x"): "/srv/x",
    ("lib/q.pc", "a=" + "x" * 70_000): "/a value that is too long",
    ("lib/libq.so", 'SEARCH_DIR("/*") INPUT(/srv/x.so) SEARCH_DIR("*/")'): "/*",
    ("lib/libq.so", 'SEARCH_DIR("lib/*") INPUT(/srv/x.so) SEARCH_DIR("*/")'): "/srv/x.so",
    ("lib/libq.la", "libdir='/tmp'"): "/tmp",
    ("lib/libq.la", "dependency_libs=' -L/tmp -lq'"): "/tmp",
    ("lib/cmake/q/q.cmake", "include([[/srv/x.cmake]])"): "/srv/x.cmake",
    ("lib/cmake/q/q.cmake", "set(x [[\n#]] /srv/x.cmake)"): "/srv/x.cmake",
    ("lib/cmake/q/q.cmake", "list(APPEND CMAKE_MODULE_PATH /tmp)"): "/tmp",
    ("lib/cmake/q/q.cmake", 'include("${d}/../../../../../srv/x.cmake")'): (
        "${d}/../../../../../srv/x.cmake"
    ),
    ("lib/python3/site-packages/q.pth", "/srv/x\n"): "/srv/x",
    ("lib/python3/site-packages/q.pth", "# q\nimport os; os.system('id')"): (
        "import os; os.system('id')"
    ),
    ("lib/q.pth", "../../x"): "../../x",
    ("pyvenv.cfg", "home = /srv/bin"): "home = /srv/bin",
    ("bin/q", "#! /srv/bin/python\n"): "/srv/bin/python",
}
WITHIN = (
    ("lib/libq.so", "/* GNU ld script: /srv/x.so */ INPUT(libz.so.1 -lm /lib/x86_64/libc.so.6)"),
    ("lib/libq.so", "INPUT(../lib/libz.so)"),
    ("lib/libq.so", "\0\0 no text: /srv/x"),
    ("lib/libq.a", "!<arch>\n/srv/x"),
    ("lib/q.o", "\x7fELF /srv/x"),
    ("lib/cmake/q/q.cmake", 'get_filename_component(P "${CMAKE_CURRENT_LIST_DIR}/../../../" X)'),
    ("lib/cmake/q/q.cmake", "# made in /srv/x\nset(L ${_IMPORT_PREFIX}/lib/x.so m /usr/lib/z.so)"),
    ("lib/cmake/q/q.cmake", 'string(REGEX REPLACE "/lib.*" "" X "${Y}") # https://q.org/x/y'),
    ("lib/q.pc", "prefix=${pcfiledir}/..\nLibs: -L${prefix}/lib -lq\nURL: https://q.org/x"),
    ("lib/q.pth", "q\n../share/q\n"),
    ("lib/cmake/q/q.cmake", 'target_compile_options(q PRIVATE /W3 "/EHsc") #[=[ /srv/x ]=]'),
    ("lib/q.pc", "prefix=${pcfiledir}/..\nCflags: -DA=b/c -I${prefix}/include # /srv/x"),
    ("lib/libq.la", "# libq.la\ndependency_libs=' -lm /usr/lib/libz.la'"),
    ("bin/q", "#!/usr/bin/env python3\nopen('/srv/x')"),
    ("share/q.txt", "It may lie in /srv/x"),
)


def placed(folder: Path, name: str, text: str) -> Path:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return folder


@pytest.mark.parametrize(("file", "said"), OUT.items(), ids=map(str, range(len(OUT))))
def test_what_leads_out_is_found(file: tuple[str, str], said: str, tmp_path: Path) -> None:
    name, text = file
    assert list(leading_out(placed(tmp_path, name, text))) == [(name, said)]


@pytest.mark.parametrize(("name", "text"), WITHIN)
def test_what_stays_within_is_left(name: str, text: str, tmp_path: Path) -> None:
    assert list(leading_out(placed(tmp_path, name, text))) == []


def test_a_link_gives_a_text_another_name(tmp_path: Path) -> None:
    placed(tmp_path, "share/q.txt", "/**/ INPUT(/srv/x.so)")
    (tmp_path / "libq.so").symlink_to("share/q.txt")
    (tmp_path / "libs.so").symlink_to("libs.so")
    (tmp_path / "libr.so").symlink_to("/etc/passwd")  # another check says that it leads out
    assert list(leading_out(tmp_path)) == [("libq.so", "/srv/x.so")]


def test_the_linker_itself_obeys_such_a_text(tmp_path: Path) -> None:
    """That is why: a program is linked with what the text names."""
    (tmp_path / "f.c").write_text("int f(void){return 7;}")
    (tmp_path / "m.c").write_text("int f(void);int main(void){return f();}")
    evil = tmp_path / "evil.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", evil, tmp_path / "f.c"], check=True)
    placed(tmp_path, "a/lib/libq.so", f"/**/ INPUT({evil})")
    words = ("gcc", f"{tmp_path}/m.c", f"-L{tmp_path}/a/lib", "-lq", "-o", f"{tmp_path}/m")
    subprocess.run(words, check=True)
    assert subprocess.run([tmp_path / "m"], check=False).returncode == 7
    assert list(leading_out(tmp_path / "a")) == [("lib/libq.so", str(evil))]


@pytest.mark.parametrize("text", ["/*" * 10**6, "/" * 10**6, "a/../" * 10**5, "=" * 10**6])
def test_any_text_is_read_in_time(text: str, tmp_path: Path) -> None:
    for name in ("a.so", "a.cmake", "a.pc", "a.pth"):
        placed(tmp_path, name, text)
    begun = time.process_time()
    list(leading_out(tmp_path))
    assert time.process_time() - begun < 5
