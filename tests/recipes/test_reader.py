"""Recipe files: what they may say, and what is said where they are wrong."""

import time
from pathlib import Path

import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, written
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
    with fails("recipe-variable-unfit", f"build: environment: {name}: "):
        read_recipe(written(tmp_path, text))


@pytest.mark.parametrize(
    ("old", "new", "code", "named"),
    [
        (
            "build:\n",
            "build:\n  environment: {A: '{foo}'}\n",
            "recipe-placeholder-unknown",
            ("build: environment: ", "{foo}"),
        ),
        (
            "build:\n",
            "build:\n  targets: ['{version}']\n",
            "recipe-placeholder-unknown",
            ("build: targets: ", "{version}"),
        ),
        ("audit:\n", "audit:\n  glibc: x.y\n", "recipe-glibc-unfit", ("audit: glibc: ", "'x.y'")),
    ],
)
def test_what_a_build_would_stumble_over_is_reported_when_it_is_read(
    tmp_path: Path, old: str, new: str, code: str, named: tuple[str, ...]
) -> None:
    text = A_RECIPE.replace(old, new, 1)
    assert text != A_RECIPE
    with fails(code, *named):
        read_recipe(written(tmp_path, text))


@pytest.mark.parametrize("url", ["http://h/a", "https://h/%00x", "https://[::1", "https:///a"])
def test_an_address_that_no_server_has_is_refused(tmp_path: Path, url: str) -> None:
    text = A_RECIPE.replace(
        f"releases: {{'1.10': '{'a' * 64}'}}",
        f"releases: [{{version: '1.10', sha256: '{'a' * 64}', url: '{url}'}}]",
    )
    assert text != A_RECIPE
    with fails("recipe-url-unfit", "source: releases: 1.10: ", f"'{url}'"):
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
    ("old", "new", "code", "named"),
    [
        ("summary:", "sumary:", "recipe-has-faults", ("line 2: sumary: ", "'summary'")),
        ("system: cmake", "system: cmak", "recipe-word-unknown", ("build: system: ", "'cmake'")),
        (
            "default: on",
            "default: of",
            "recipe-default-unknown",
            ("options: loud: default: ", "'of'"),
        ),
        ("a" * 64, "a" * 63, "recipe-sha256-unfit", ("source: releases: 1.10: ",)),
        ("name: greet", "name: other", "recipe-name-not-file", ("name: ", "other.yaml")),
        ("name: greet", "name: Greet!", "recipe-has-faults", ("line 1: name: ", "'Greet!'")),
        (
            "url: https",
            "url: ftp",
            "recipe-url-unfit",
            ("source: releases: 1.10: ", "'ftp:", "https://"),
        ),
        (
            "licenses: [LICENSE]",
            "licenses: [../LICENSE]",
            "recipe-path-leads-out",
            ("'../LICENSE'",),
        ),
        (
            "licenses: [LICENSE]",
            "licenses: LICENSE",
            "recipe-value-unfit",
            ("product: licenses: ", "'LICENSE'"),
        ),
        (
            "-DGREET_VERSION={version}",
            "-DX={home}",
            "recipe-placeholder-unknown",
            ("build: arguments: ", "{home}"),
        ),
        (
            "  system: cmake\n",
            "  system: cmake\n  files: {../a: x}\n",
            "recipe-path-leads-out",
            ("'../a'",),
        ),
        ("(\\d+)", "(?=x)", "recipe-pattern-broken", ("source: version_pattern: ", "(?=")),
        ("  version_file: VERSION\n", "", "recipe-version-incomplete", ("source: ",)),
        ("run: [bin/greet]", "input: x", "recipe-probe-unclear", ("probes: says: ",)),
        (
            "greet greet::greet",
            "greet",
            "recipe-cmake-target-unfit",
            ("probes: links: cmake: ", "'greet'"),
        ),
        ("links:", "says:", "recipe-not-yaml", ("'says'",)),
        (PROBES, "", "recipe-without-probe", ("probes: ",)),
        (PRODUCT, "product: {}\n", "recipe-promises-nothing", ("product: ",)),
        ("  loud:\n", "  version:\n", "recipe-option-name-taken", ("options: version: ",)),
        ("'1.10':", "'../1.10':", "recipe-version-unfit", ("source: releases: ../1.10: ",)),
        (
            "      off: {arguments",
            "      a/b: {arguments",
            "recipe-choice-unfit",
            ("options: loud: choices: a/b: ",),
        ),
        ("  loud:\n", "  loud:\n    name: x\n", "recipe-key-twice", ("options: loud: name: ",)),
        ("  loud:\n", "  Loud!:\n", "recipe-option-name-unfit", ("options: Loud!: ",)),
        ("'version (\\d+)\\.(\\d+)'", "x", "recipe-pattern-without-group", ("version_pattern: ",)),
        (
            "  recognize: [greet.h, VERSION]\n",
            "",
            "recipe-recognize-empty",
            ("source: recognize: ",),
        ),
        (
            "on: {arguments",
            "on: {conflicts: [loud=of], arguments",
            "recipe-conflict-unknown",
            ("options: loud: choices: on: conflicts: ", "'loud=of'", "'loud=off'"),
        ),
        ("  loud:\n", "  cuda:\n", "recipe-option-name-taken", ("options: cuda: ",)),
        (
            "  exports: [greeting]",
            "  cpu_level: x86-64-v9",
            "recipe-cpu-level-unknown",
            ("audit: cpu_level: ", "'x86-64-v"),
        ),
        (
            "  exports: [greeting]",
            f"  dispatched: ['{'?' * 5000}']",
            "recipe-patterns-too-long",
            ("audit: dispatched: ", "4000"),
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    tmp_path: Path, old: str, new: str, code: str, named: tuple[str, ...]
) -> None:
    assert old in A_RECIPE
    with fails(code, *named):
        read_recipe(written(tmp_path, A_RECIPE.replace(old, new)))


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "recipe-value-unfit"),
        (b"[]", "recipe-value-unfit"),
        (b"\xff", "recipe-not-yaml"),
        (b"a: [", "recipe-not-yaml"),
        (b"name: 1\nbuild: 3\n", "recipe-has-faults"),
        (b"x" * 300_000, "recipe-not-yaml"),
    ],
)
def test_no_recipe_at_all(tmp_path: Path, raw: bytes, code: str) -> None:
    path = tmp_path / "greet.yaml"
    path.write_bytes(raw)
    with fails(code):
        read_recipe(path)


def test_broken_yaml_is_reported_with_its_place(tmp_path: Path) -> None:
    with fails("recipe-not-yaml", "in line 2, column 11") as caught:
        read_recipe(written(tmp_path, "name: greet\nsummary: a: b\n"))
    assert "string" not in caught.value.why


def test_a_missing_file_and_a_missing_key(tmp_path: Path) -> None:
    with fails("recipe-unreadable", str(tmp_path / "none.yaml")):
        read_recipe(tmp_path / "none.yaml")
    with fails("recipe-key-missing", "summary: "):
        read_recipe(written(tmp_path, A_RECIPE.replace("summary: Says hello\n", "")))


def test_bazel_must_say_what_is_taken_from_it(tmp_path: Path) -> None:
    with fails("recipe-bazel-takes-nothing", "build: ", "bazel-bin"):
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


def test_all_faults_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    text = A_RECIPE
    for old, new in SEVERAL:
        assert old in text
        text = text.replace(old, new)
    with fails("recipe-has-faults", "greet.yaml", "9") as caught:
        read_recipe(written(tmp_path, text + "needs: [cmake, zlip]\n"))
    lines = text.splitlines()

    def line_of(word: str) -> str:
        return f"line {next(n for n, line in enumerate(lines, 1) if word in line)}: "

    faults = caught.value.why.splitlines()
    assert faults == sorted(
        faults, key=lambda line: int(line.split()[1][:-1]) if "line" in line else 0
    )
    for word, place, named in (
        ("sumary", "sumary: ", "'summary'"),
        ("aaaa", "source: releases: 1.10: ", "sha256"),
        ("default", "options: loud: default: ", "'of'"),
        ("lz5", "options: loud: choices: on: needs[2]: ", "'lz5'"),
        ("cmak", "build: system: ", "'cmak'"),
        ("LICENSE", "product: licenses: ", "'LICENSE'"),
        ("print:", "probes: says: print: ", "'prints'"),
    ):
        begins = line_of(word) + place
        assert any(line.startswith(begins) and named in line for line in faults), (word, faults)
    assert any(line.startswith("summary: ") for line in faults)
    assert faults[-1].startswith(f"line {len(lines) + 1}: needs[2]: 'zlip'")
    assert "'zlib'" in faults[-1]


def test_one_fault_is_the_message_itself(tmp_path: Path) -> None:
    count = len(A_RECIPE.splitlines())
    place = f"greet.yaml, line {count + 3}: needs[2]: 'zlip'"
    with fails("recipe-need-unknown", place, "matrices/needs.yaml", "'zlib'"):
        read_recipe(written(tmp_path, A_RECIPE + "needs:\n- cmake\n- zlip\n"))


def test_what_could_not_be_read_is_no_second_fault(tmp_path: Path) -> None:
    with fails("recipe-value-unfit", "product: ", "3"):
        read_recipe(written(tmp_path, A_RECIPE.replace(PRODUCT, "product: 3\n")))
    with fails("recipe-has-faults", "source: url: ", "[]"):
        read_recipe(written(tmp_path, A_RECIPE.replace("url: https", "url: [] #")))


def test_no_more_than_twenty_are_reported(tmp_path: Path) -> None:
    started = time.process_time()
    many = "".join(f"x{n}: 1\n" for n in range(15_000))
    with fails("recipe-has-faults", "20") as caught:
        read_recipe(written(tmp_path, A_RECIPE + many))
    assert len(caught.value.why.splitlines()) == 20
    assert time.process_time() - started < 20
