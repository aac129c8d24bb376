"""Every error has a code, every code a meaning, and every meaning an error."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.failing import fails
from tests.source_files import PACKAGE, module_files, nodes_of
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.errors import BadRequest, CommandTimedOut, TfbuildError


def _classes() -> dict[str, type[TfbuildError]]:
    for path in module_files():
        if "TfbuildError" in path.read_text() or "Failed)" in path.read_text():
            importlib.import_module(
                ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            )
    found: dict[str, type[TfbuildError]] = {}
    left: list[type[TfbuildError]] = [TfbuildError]
    while left:
        one = left.pop()
        found[one.__name__] = one
        left += [each for each in one.__subclasses__() if each.__module__.startswith("tfbuild.")]
    return found


def _constructions() -> Iterator[tuple[Path, ast.Call, type[TfbuildError]]]:
    classes = _classes()
    for path in module_files():
        for call in nodes_of(path, ast.Call):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in classes:
                yield path, call, classes[name]


def _code_of(call: ast.Call, error: type[TfbuildError]) -> str:
    """The code that is written there, or that of the class; "" for a code that is computed."""
    for word in call.keywords:
        if word.arg == "code":
            return str(word.value.value) if isinstance(word.value, ast.Constant) else ""
    return error.code


def test_every_error_has_a_code_that_is_explained_with_its_exit_code() -> None:
    wrong = []
    for path, call, error in _constructions():
        meaning = error_meanings().get(_code_of(call, error))
        if meaning is None or meaning.exit_code != error.exit_code:
            place = f"{path.relative_to(PACKAGE)}:{call.lineno}"
            wrong.append(f"{place}: {error.__name__} ({error.exit_code}), {meaning}")
    assert wrong == []


def test_every_code_is_used() -> None:
    used = {_code_of(call, error) for _, call, error in _constructions()}
    used |= {error.code for error in _classes().values()}
    assert set(error_meanings()) - used == set()


def test_codes_are_words_and_their_meanings_sentences() -> None:
    for code, meaning in error_meanings().items():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code)
        assert re.fullmatch(r"[A-Z`].{10,}[.]", meaning.means), code


def test_a_class_of_one_meaning_brings_its_code() -> None:
    with fails("command-timed-out", "late"):
        raise CommandTimedOut("it is late")


def test_a_test_that_expects_another_code_or_name_fails() -> None:
    with pytest.raises(AssertionError, match="here it is"), fails("a-code"):
        raise BadRequest("here it is", code="another-code")
    with pytest.raises(AssertionError, match="here it is"), fails("a-code", "there"):
        raise BadRequest("here it is", code="a-code")
