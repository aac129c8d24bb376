"""The words of texts, as the programs that obey them take them apart."""

from tfbuild.products.obeyed_words import (
    cmake_words,
    libtool_words,
    linker_words,
    package_words,
)


def test_a_linker_script() -> None:
    text = 'GROUP ( /* not /this */ a.so AS_NEEDED("b c;d" -lm) ) "/* no comment" x'
    assert list(linker_words(text)) == [
        "GROUP",
        "a.so",
        "AS_NEEDED",
        "b c;d",
        "-lm",
        "/* no comment",
        "x",
    ]


def test_a_file_of_cmake() -> None:
    text = 'set(A "b # \\"c\\"" [=[ # d ]] ]=]) # e\n#[[ f\n]] g'
    assert [word for word in cmake_words(text) if word] == [
        "set",
        "A",
        "b",
        "#",
        "c",
        "#",
        "d",
        "]]",
        "g",
    ]


def test_a_file_of_pkg_config() -> None:
    text = "p=${pcfiledir}/..\nq=${p}/l\nName: /n\nLibs: -L${q} \\\n -lz ${none} # c\n"
    words = [word for word in package_words(text) if word]
    assert words == ["${pcfiledir}/..", "${pcfiledir}/../l", "-L${pcfiledir}/../l", "-lz"]


def test_variables_that_double_end() -> None:
    doubling = "a0=" + "x" * 100 + "".join(f"\na{n + 1}=${{a{n}}}${{a{n}}}" for n in range(60))
    assert "/a value that is too long" in list(package_words(doubling))


def test_an_archive_of_libtool() -> None:
    text = "# /c\nlibdir='/d'\ndependency_libs=' -L/e -lf /g/h.la'\n"
    words = [word for word in libtool_words(text) if "/" in word]
    assert words == ["/d", "/e", "/g/h.la"]
