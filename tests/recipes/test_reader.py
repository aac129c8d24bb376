"""Recipe files: what they may say, and what is said where they are wrong."""

import re
import time
from pathlib import Path

import pytest

from tests.sample_recipes import A_RECIPE, written
from tfbuild.core.errors import BadRecipe
from tfbuild.recipes.reader import read_recipe
from tfbuild.recipes.recipe import Release

PRODUCT = A_RECIPE[A_RECIPE.index("product:") : A_RECIPE.index("audit:")]
PROBES = A_RECIPE[A_RECIPE.index("probes:") :]


def test_a_whole_recipe(tmp_path: Path) -> None:
    recipe = read_recipe(written(tmp_path, A_RECIPE))
    assert recipe.name == "greet"
    assert recipe.source.releases == (Release(version="1.10", sha256="a" * 64),)
    (option,) = recipe.options
    assert [choice.value for choice in option.choices] == ["on", "off"]
    assert option.default == "on"
    assert recipe.build.expect == (("GREET_LOUD", "off"),)
    assert [probe.name for probe in recipe.probes] == ["says", "links"]
    assert recipe.path == tmp_path / "greet.yaml"


@pytest.mark.parametrize("name", ["A=B", "", "1A", "A B"])
def test_a_variable_has_a_name_that_programs_can_get(tmp_path: Path, name: str) -> None:
    text = A_RECIPE.replace("build:\n", f"build:\n  environment: {{'{name}': x}}\n", 1)
    assert text != A_RECIPE
    with pytest.raises(BadRecipe, match="is no name of a variable"):
        read_recipe(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("build:\n", "build:\n  environment: {A: '{foo}'}\n", "'{foo}' holds {foo}"),
        ("build:\n", "build:\n  targets: ['{version}']\n", "'{version}' holds {version}"),
        ("audit:\n", "audit:\n  glibc: x.y\n", "it is 'x.y'"),
    ],
)
def test_what_a_build_would_stumble_over_is_told_when_it_is_read(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    text = A_RECIPE.replace(old, new, 1)
    assert text != A_RECIPE
    with pytest.raises(BadRecipe, match=re.escape(said)):
        read_recipe(written(tmp_path, text))


@pytest.mark.parametrize("url", ["http://h/a", "https://h/%00x", "https://[::1", "https:///a"])
def test_an_address_that_no_server_has_is_refused(tmp_path: Path, url: str) -> None:
    text = A_RECIPE.replace(
        f"releases: {{'1.10': '{'a' * 64}'}}",
        f"releases: [{{version: '1.10', sha256: '{'a' * 64}', url: '{url}'}}]",
    )
    assert text != A_RECIPE
    with pytest.raises(BadRecipe, match="its url is"):
        read_recipe(written(tmp_path, text))


def test_lists_and_mappings_say_the_same(tmp_path: Path) -> None:
    listed = A_RECIPE.replace(
        f"releases: {{'1.10': '{'a' * 64}'}}",
        f"releases: [{{version: '1.10', sha256: '{'a' * 64}'}}]",
    )
    assert listed != A_RECIPE
    one, other = (read_recipe(written(tmp_path, text)) for text in (A_RECIPE, listed))
    assert one.source == other.source


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("summary:", "sumary:", "did you mean 'summary'?"),
        ("system: cmake", "system: cmak", "did you mean 'cmake'?"),
        ("default: on", "default: of", "none of its choices"),
        ("a" * 64, "a" * 63, "64 hexadecimal digits"),
        ("name: greet", "name: other", "name the file other.yaml"),
        ("name: greet", "name: Greet!", "small letters"),
        ("url: https", "url: ftp", "https://"),
        ("licenses: [LICENSE]", "licenses: [../LICENSE]", "leads out of its folder"),
        ("licenses: [LICENSE]", "licenses: LICENSE", "must be a list"),
        ("-DGREET_VERSION={version}", "-DX={home}", "home is not known"),
        ("  system: cmake\n", "  system: cmake\n  files: {../a: x}\n", "leads out of its folder"),
        ("(\\d+)", "(?=x)", "regular expression"),
        ("  version_file: VERSION\n", "", "go together"),
        ("run: [bin/greet]", "input: x", "one of run and program"),
        ("greet greet::greet", "greet", "a package and its target"),
        ("links:", "says:", "stands there twice"),
        (PROBES, "", "before something of it ran"),
        (PRODUCT, "product: {}\n", "it promises nothing"),
        ("  loud:\n", "  version:\n", "on every command line"),
        ("'1.10':", "'../1.10':", "that is no version"),
        ("      off: {arguments", "      a/b: {arguments", "that is no value"),
        ("  loud:\n", "  cuda:\n", "on every command line"),
        ("  exports: [greeting]", "  cpu_level: x86-64-v9", "did you mean 'x86-64"),
        ("  exports: [greeting]", f"  dispatched: ['{'?' * 5000}']", "more than 4000 letters"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    assert old in A_RECIPE
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, A_RECIPE.replace(old, new)))
    assert said in f"{caught.value.message} {caught.value.why} {caught.value.hint}"


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"\xff", b"a: [", b"name: 1\nbuild: 3\n", b"x" * 300_000]
)
def test_no_recipe_at_all(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "greet.yaml"
    path.write_bytes(raw)
    with pytest.raises(BadRecipe):
        read_recipe(path)


def test_broken_yaml_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, "name: greet\nsummary: a: b\n"))
    assert "in line 2, column 11" in caught.value.why
    assert "string" not in caught.value.why
    assert caught.value.hint.startswith("correct it there")


def test_a_missing_file_and_a_missing_key(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe, match="cannot read the recipe"):
        read_recipe(tmp_path / "none.yaml")
    with pytest.raises(BadRecipe, match="summary: it is missing"):
        read_recipe(written(tmp_path, A_RECIPE.replace("summary: Says hello\n", "")))


def test_bazel_must_say_what_is_taken_from_it(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe, match="Bazel installs nothing"):
        read_recipe(written(tmp_path, A_RECIPE.replace("system: cmake", "system: bazel")))


SEVERAL = (
    ("summary:", "sumary:"),
    ("licenses: [LICENSE]", "licenses: LICENSE"),
    ("system: cmake", "system: cmak"),
    ("default: on", "default: of"),
    ("on: {arguments: [-DGREET_LOUD=ON]", "on: {arguments: [-DGREET_LOUD=ON], needs: [zlib, lz5]"),
    ("a" * 64, "a" * 63),
    ("run: [bin/greet], prints", "run: [bin/greet], print"),
)


def test_all_faults_are_told_at_once_with_their_lines(tmp_path: Path) -> None:
    text = A_RECIPE
    for old, new in SEVERAL:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, text + "needs: [cmake, zlip]\n"))
    assert caught.value.message == "greet.yaml has 9 faults"
    lines = text.splitlines()

    def line_of(word: str) -> str:
        return f"line {next(n for n, line in enumerate(lines, 1) if word in line)}: "

    told = caught.value.why.splitlines()
    assert told == sorted(told, key=lambda line: int(line.split()[1][:-1]) if "line" in line else 0)
    for word, said in (
        ("sumary", "sumary: there is no such key (did you mean 'summary'?)"),
        ("aaaa", "1.10: its sha256 is not 64 hexadecimal digits"),
        ("default", "options: loud: default: its default 'of' is none of its choices"),
        ("lz5", "options: loud: choices: on: needs[2]: 'lz5' is not among the needs"),
        ("cmak", "build: system: it is 'cmak' (did you mean 'cmake'?)"),
        ("LICENSE", "product: licenses: it must be a list (it holds 'LICENSE')"),
        ("print:", "probes: says: print: there is no such key (did you mean 'prints'?)"),
    ):
        assert any(line.startswith(line_of(word)) and said in line for line in told), (word, told)
    assert any(line.startswith("summary: it is missing") for line in told)
    assert f"line {len(lines) + 1}: needs[2]: 'zlip' is not among" in told[-1]
    assert "did you mean 'zlib'?" in told[-1]


def test_one_fault_is_the_message_itself(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, A_RECIPE + "needs:\n- cmake\n- zlip\n"))
    count = len(A_RECIPE.splitlines())
    assert caught.value.message == (
        f"greet.yaml, line {count + 3}: needs[2]: "
        "'zlip' is not among the needs of matrices/needs.yaml"
    )
    assert "zlib" in caught.value.hint


def test_what_could_not_be_read_is_no_second_fault(tmp_path: Path) -> None:
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, A_RECIPE.replace(PRODUCT, "product: 3\n")))
    assert "product: it must be a mapping" in caught.value.message
    with pytest.raises(BadRecipe) as caught:
        read_recipe(written(tmp_path, A_RECIPE.replace("url: https", "url: [] #")))
    assert "source: url: it must be text" in caught.value.message + caught.value.why


def test_no_more_than_twenty_are_told(tmp_path: Path) -> None:
    started = time.process_time()
    many = "".join(f"x{n}: 1\n" for n in range(15_000))
    with pytest.raises(BadRecipe, match="more than 20 faults") as caught:
        read_recipe(written(tmp_path, A_RECIPE + many))
    assert len(caught.value.why.splitlines()) == 20
    assert time.process_time() - started < 20
