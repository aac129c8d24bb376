"""The reference has a place for every command, option, setting, code, axis, recipe and schema."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
import typer

from docs.reference.pages import generated_pages
from docs.reference.runtime import exports
from docs.reference.schemas import DOCUMENTS
from tests.schema_maker import all_schemas
from tests.source_files import PACKAGE, ROOT
from tfbuild.cli.app import app
from tfbuild.core.errors import EXIT_CODES
from tfbuild.core.safe_files import read_json, read_yaml
from tfbuild.core.settings import OPTIONS, OTHER_VARIABLES
from tfbuild.facts.tables import Tables
from tfbuild.recipes.fields import all_keys

TOP: Any = typer.main.get_command(app)


@cache
def pages() -> dict[str, str]:
    return generated_pages()


def anchors(name: str) -> list[str]:
    return re.findall(r"\{ #(\S+) \}$", pages()[name], re.MULTILINE)


def first_cells(text: str) -> list[str]:
    """What the first cells of a text's tables hold as code."""
    rows = (line.split(" | ")[0] for line in text.splitlines() if line.startswith("| "))
    return [found for cell in rows for found in re.findall(r"`([^`]+)`", cell)]


def section(text: str, anchor: str) -> str:
    """What stands below a heading, up to the next one of its level."""
    level = re.search(rf"^(#+) .*\{{ #{re.escape(anchor)} \}}$", text, re.MULTILINE)
    assert level, f"no heading has the anchor {anchor}"
    return re.split(rf"^{level[1]} ", text[level.end() :], flags=re.MULTILINE)[0]


def commands() -> Iterator[tuple[str, Any, str]]:
    """Every command that help shows: its words, itself, and what the reference says of it."""
    for name, command in TOP.commands.items():
        if command.hidden:
            continue
        text = pages()[f"reference/commands/{name}.md"]
        if not hasattr(command, "commands"):
            yield name, command, text
        for below, one in getattr(command, "commands", {}).items():
            if not one.hidden:
                yield f"{name} {below}", one, section(text, below)


def test_every_command_is_there_with_its_help_and_in_the_list() -> None:
    listed = pages()["reference/commands/index.md"]
    for words, command, text in commands():
        assert f"tfbuild {words} [OPTIONS]" in text
        assert command.help.split("\n")[0].split("`")[0][:40].strip() in text
        assert f"`tfbuild {words.split()[0]}`" in listed
    assert len(list(commands())) > 30


def test_every_option_and_argument_is_there_with_its_meaning() -> None:
    for words, command, text in commands():
        cells = first_cells(text)
        for parameter in command.params:
            if parameter.hidden or parameter.param_type_name == "argument":
                continue
            for spelled in parameter.opts:
                assert spelled in {cell.split()[0] for cell in cells}, f"{words} {spelled}"
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        assert sum("| Argument |" in line for line in text.splitlines()) == bool(arguments), words


def test_every_example_of_the_help_is_there() -> None:
    for words, command, text in commands():
        for line in (command.epilog or "").splitlines():
            if line.startswith("  "):
                assert f"\n{line.strip()}\n" in text, words


@pytest.mark.parametrize("name", OPTIONS)
def test_every_setting_is_there_with_its_option_variable_and_key(name: str) -> None:
    variable = "TFBUILD_" + name.upper().replace("-", "_")
    lines = [
        line for line in pages()["reference/settings.md"].splitlines() if f"`{variable}`" in line
    ]
    rows = [line for line in lines if re.match(rf"\| `--{name}[ `]", line)]
    assert len(rows) == 1
    assert re.search(r"<br>`\w+` \| (yes|trusted|no) \| .{5,} \| .{3,} \|$", rows[0])


def test_every_other_variable_is_there() -> None:
    assert set(OTHER_VARIABLES) <= set(first_cells(pages()["reference/settings.md"]))
    used = {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r"environ(?:\.get\(|\[)\"(TFBUILD_\w+)\"", path.read_text())
    }
    assert used <= set(OTHER_VARIABLES)


def test_every_axis_is_there_with_the_values_that_are_known(tables: Tables) -> None:
    rows = read_yaml(ROOT / "matrices" / "axes.yaml")["rows"]
    page = pages()["reference/axes.md"]
    assert [row["axis"] for row in rows] == anchors("reference/axes.md")
    for row in rows:
        said = section(page, row["axis"])
        assert all(f"`{name}`" in said for name in row.get("names", ()))
        if row["axis"] != "gpu":
            assert all(f"`{one.version}`" in said for one in tables.axis(row["axis"]))
    assert all(f"`{gpu.name}`" in section(page, "gpu") for gpu in tables.gpus())


def test_every_exit_code_is_there() -> None:
    assert anchors("reference/exit-codes.md") == [str(code) for code in EXIT_CODES]


def test_every_error_code_is_an_anchor_with_its_exit_code() -> None:
    files = sorted((PACKAGE / "core" / "error_codes").glob("*.yaml"))
    codes = {code: row["exit"] for path in files for code, row in sorted(read_yaml(path).items())}
    page = pages()["reference/errors.md"]
    found = [name for name in anchors("reference/errors.md") if not name.startswith("area-")]
    assert found == list(codes)
    assert len(found) > 500
    described = re.findall(
        r"\{ #(\S+) \}\n\n.{10,} Exit code \[(\d+)\]\(exit-codes\.md#\2\)\.\n", page
    )
    assert described == [(code, str(number)) for code, number in codes.items()]


def test_every_key_of_a_recipe_and_every_recipe_is_there() -> None:
    page = pages()["reference/recipe-file.md"]
    assert {key.path for key in all_keys()} == {
        *first_cells(page),
        *anchors("reference/recipe-file.md"),
    }
    names = {path.stem for path in (ROOT / "recipes").glob("*.yaml")}
    assert set(anchors("reference/recipes.md")) == names
    for name in names:
        options = read_yaml(ROOT / "recipes" / f"{name}.yaml").get("options", {})
        assert set(options) <= set(first_cells(section(pages()["reference/recipes.md"], name)))


@pytest.mark.parametrize("name", all_schemas())
def test_every_schema_and_every_field_of_it_is_there(name: str) -> None:
    cells = first_cells(pages()[f"reference/schemas/{name}.md"])
    last = {re.sub(r"[^.]*\.|\[\]|\{\}", "", cell) or cell for cell in cells}
    assert set(_properties(read_json(PACKAGE / "schemas" / f"{name}.json"))) == last
    assert len(cells) == len(set(cells)), "one field, one row"


def _properties(schema: Any) -> Iterator[str]:
    """The names of all fields, wherever they stand in a schema."""
    if isinstance(schema, list):
        for one in schema:
            yield from _properties(one)
    elif isinstance(schema, dict):
        fields = schema.get("properties", {})
        yield from fields
        yield from _properties(list(fields.values()))
        inner = ("items", "prefixItems", "anyOf", "additionalProperties")
        yield from _properties([schema[key] for key in inner if key in schema])


def test_documents_are_printed_by_commands_that_are_there() -> None:
    assert set(DOCUMENTS) == set(all_schemas())
    for said in DOCUMENTS.values():
        (line,) = re.findall(r"`tfbuild ([^`]+)`", said)
        command = TOP
        for word in line.split():
            command = getattr(command, "commands", {}).get(word, command)
        assert command is not TOP
        options = {word for one in command.params for word in one.opts}
        assert set(re.findall(r"--[a-z-]+", line)) <= options, line


def test_every_op_and_every_python_name_is_there() -> None:
    ops = re.findall(r"^\| (\w+) \|", (ROOT / "runtime" / "OPS.md").read_text(), re.MULTILINE)
    page = pages()["reference/ops.md"]
    assert len(ops) > 600
    assert [op for op in ops if f"\n| {op} | " not in page] == []
    names = first_cells(pages()["reference/python.md"])
    assert {f"tf.{name}" for name in exports()} == set(names)


def test_the_python_names_are_those_that_the_package_has() -> None:
    """The package itself makes one tree of all lists of names; it needs the built extension."""
    folder = ROOT / "runtime" / "python" / "tfbuild_runtime"
    parts = re.findall(
        r"^from tfbuild_runtime\.(\w+) import (_\w*exports)",
        (folder / "compat" / "v1" / "__init__.py").read_text(),
        re.MULTILINE,
    )
    program = "import json, importlib, sys\nfound = []\n"
    for package, module in parts:
        program += f"from tfbuild_runtime.{package} import {module}\nfound += {module}.EXPORTS\n"
    program += "print(json.dumps(found))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": str(folder.parent)},
        capture_output=True,
        check=True,
    )
    assert set(json.loads(done.stdout)) == set(exports())


def test_pages_hold_no_path_of_this_machine() -> None:
    here = re.compile(rf"(?<![\w.~-]){re.escape(str(ROOT))}/")
    assert [name for name, text in pages().items() if here.search(text)] == []
