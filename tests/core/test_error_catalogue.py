"""Every error and every warning has a code, every code a meaning, and every meaning a use."""

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from tests.failing import fails
from tests.source_files import PACKAGE, module_files, nodes_of
from tfbuild.core.error_catalogue import error_meanings
from tfbuild.core.errors import BadRequest, CommandTimedOut, TfbuildError
from tfbuild.resolver.resolution import WarningKind


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
    errors = {code for code, meaning in error_meanings().items() if meaning.exit_code}
    assert errors - used == set()


def _warnings() -> Iterator[tuple[str, ast.expr | None]]:
    """The place of each warning, and the expression of its code."""
    for path in module_files():
        for call in nodes_of(path, ast.Call):
            name = getattr(call.func, "id", getattr(call.func, "attr", ""))
            if name in {"warn", "CodedWarning"}:
                code = next((word.value for word in call.keywords if word.arg == "code"), None)
                yield f"{path.relative_to(PACKAGE)}:{call.lineno}", code


def _warning_codes() -> set[str]:
    return {code for code, meaning in error_meanings().items() if not meaning.exit_code}


def test_every_warning_has_a_code_of_the_catalogue_or_hands_one_on() -> None:
    wrong = []
    for place, code in _warnings():
        is_handed_on = isinstance(code, ast.Attribute) and code.attr == "code"
        is_known = isinstance(code, ast.Constant) and code.value in _warning_codes()
        if not is_handed_on and not is_known:
            wrong.append(f"{place}: {ast.unparse(code) if code else 'no code'}")
    assert wrong == []


def test_every_code_of_a_warning_is_used() -> None:
    used = {code.value for _, code in _warnings() if isinstance(code, ast.Constant)}
    kinds = {f"versions-{kind}" for kind in get_args(WarningKind)}  # of what the resolver says
    assert _warning_codes() == used | kinds


def test_no_code_stands_in_two_files() -> None:
    files = (PACKAGE / "core" / "error_codes").glob("*.yaml")
    lines = [line for path in files for line in path.read_text().splitlines()]
    codes = [line for line in lines if re.match(r"\w.*:$", line)]
    assert len(codes) == len(error_meanings())


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
