"""What a tree's configure.py reads from the environment, and what it would ask: by its syntax.

It is parsed and never run: releases differ, patch releases among them, so the script itself is
asked what it wants.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from tfbuild.core.python_text import parse_python

T = TypeVar("T", str, tuple[str, str])
_Parameter: TypeAlias = tuple[str, str]  # function, name
_NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_ENVIRONMENT = {"environ_cp", "environ", "env"}
_ASK = {"get_input", "input", "raw_input"}
_YES_NO = "get_var"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigureScript:
    """What one configure.py says of itself."""

    reads: frozenset[str]  # every variable whose value it looks at
    yes_no: frozenset[str]  # those that it asks as a question with yes or no
    asks: frozenset[str]  # those that it asks as a question of any kind
    takes_workspace: bool  # --workspace=DIR: writes there and leaves the tree alone
    takes_sm: bool  # capabilities as sm_86 and compute_86, besides 8.6
    bazel: tuple[str, str] = ("", "")  # the limits that it checks; empty: none
    writes: frozenset[str] = frozenset()  # constant beginnings of the lines that it writes


def read_script(text: str) -> ConfigureScript:
    """What a configure.py reads, asks and writes; ValueError where it is no Python."""
    module = parse_python(text)
    functions = _functions(module)
    named = _variable_parameters(functions)
    asking = _callers_of(_ASK, functions, named)
    yes_no = _callers_of({_YES_NO}, functions, named) | {_YES_NO}
    used = _reachable(module, functions)
    called = [pair for part in used for pair in _named_in_calls(part, functions, named)]
    reads = {name for part in used for name in (*_read_directly(part), *_read_in_loops(part))}
    reads |= {name for _, name in called}
    constants = _constants(module)
    return ConfigureScript(
        reads=frozenset(reads),
        yes_no=frozenset(name for function, name in called if function in yes_no),
        asks=frozenset(name for function, name in called if function in asking),
        takes_workspace="--workspace" in constants.values() or "--workspace" in text,
        takes_sm="(sm|compute)" in text,
        bazel=(
            constants.get("_TF_MIN_BAZEL_VERSION", ""),
            constants.get("_TF_MAX_BAZEL_VERSION", ""),
        ),
        writes=frozenset(line for part in used for line in _written(part)),
    )


# --- functions that take the name of a variable --------------------------------------------------


def _functions(module: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}


def _reachable(module: ast.Module, functions: dict[str, ast.FunctionDef]) -> list[ast.AST]:
    """The functions that a run can come to: some are left over from earlier releases.

    All of them where there is no main().
    """
    if "main" not in functions:
        return [module]
    found, waiting = {"main"}, ["main"]
    while waiting:
        names = {n.id for n in ast.walk(functions[waiting.pop()]) if isinstance(n, ast.Name)}
        new = {name for name in names if name in functions} - found
        found |= new
        waiting += sorted(new)
    return [functions[name] for name in sorted(found)]


def _variable_parameters(functions: dict[str, ast.FunctionDef]) -> dict[str, set[str]]:
    """For each function, the parameters that hold the name of a variable.

    Such a one is looked up in the environment, or handed on to a function as such.
    """
    own = {
        name: {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
        for name, function in functions.items()
    }
    # From each parameter back to those that are handed on to it.
    handed_on: dict[_Parameter, set[_Parameter]] = defaultdict(set)
    waiting: list[_Parameter] = []
    for name, function in functions.items():
        looked_up = {key.id for key in _keys(function) if isinstance(key, ast.Name)}
        waiting += [(name, parameter) for parameter in sorted(looked_up & own[name])]
        for call in _calls(function):
            for parameter, value in _arguments(call, functions):
                if isinstance(value, ast.Name) and value.id in own[name]:
                    handed_on[_called(call), parameter].add((name, value.id))
    found: dict[str, set[str]] = {name: set() for name in functions}
    for name, parameter in _all_before(waiting, handed_on):
        found[name].add(parameter)
    return found


def _callers_of(
    targets: set[str], functions: dict[str, ast.FunctionDef], named: dict[str, set[str]]
) -> set[str]:
    """The functions with a variable's name as parameter that end up calling one of the targets."""
    callers: dict[str, set[str]] = defaultdict(set)
    for name, function in functions.items():
        if named[name]:
            for call in _calls(function):
                callers[_called(call)].add(name)
    return {name for one in _all_before(targets, callers) for name in callers[one]}


def _all_before(start: Iterable[T], before: Mapping[T, Iterable[T]]) -> set[T]:
    """The first ones, and all that lead to them; each is looked at once."""
    found = set(start)
    waiting = list(found)
    while waiting:
        new = set(before.get(waiting.pop(), ())) - found
        found |= new
        waiting += new
    return found


def _named_in_calls(
    tree: ast.AST, functions: dict[str, ast.FunctionDef], named: dict[str, set[str]]
) -> Iterator[tuple[str, str]]:
    """Function and variable of each call that has the name of a variable as a constant."""
    for call in _calls(tree):
        for value in _named_arguments(call, functions, named):
            if isinstance(value, ast.Constant) and _is_name(value.value):
                yield _called(call), str(value.value)


def _named_arguments(
    call: ast.Call, functions: dict[str, ast.FunctionDef], named: dict[str, set[str]]
) -> Iterator[ast.expr]:
    """The arguments of a call that go to parameters which hold the name of a variable."""
    wanted = named.get(_called(call), set())
    return (value for name, value in _arguments(call, functions) if name in wanted)


def _arguments(
    call: ast.Call, functions: dict[str, ast.FunctionDef]
) -> Iterator[tuple[str, ast.expr]]:
    """Parameter and argument of a call of one of the functions."""
    function = functions.get(_called(call))
    if function is not None:
        names = (argument.arg for argument in function.args.args)
        yield from zip(names, call.args, strict=False)
        yield from ((k.arg, k.value) for k in call.keywords if k.arg)


# --- the environment -----------------------------------------------------------------------------


def _keys(tree: ast.AST) -> Iterator[ast.expr]:
    """What is looked up in the environment: environ.get(KEY), environ[KEY], KEY in environ."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in {"get", "pop"} and _is_environment(node.func.value) and node.args:
                yield node.args[0]
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if _is_environment(node.value):
                yield node.slice
        elif _is_lookup(node) and isinstance(node, ast.Compare):
            yield node.left


def _is_lookup(node: ast.AST) -> bool:
    """Whether something is looked for among the names of the environment."""
    is_in = isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn))
    return is_in and _is_environment(node.comparators[0])  # type: ignore[attr-defined]


def _read_directly(tree: ast.AST) -> Iterator[str]:
    for key in _keys(tree):
        if isinstance(key, ast.Constant) and _is_name(key.value):
            yield str(key.value)


def _read_in_loops(tree: ast.AST) -> Iterator[str]:
    """Names of a list that a loop looks up: `for name in names: if name in environ_cp`."""
    lists = {
        target.id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value, (ast.List, ast.Tuple))
    }
    for loop in ast.walk(tree):
        if not (isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)):
            continue
        looked_up = {key.id for key in _keys(loop) if isinstance(key, ast.Name)}
        listed = lists.get(loop.iter.id) if isinstance(loop.iter, ast.Name) else loop.iter
        if loop.target.id in looked_up and isinstance(listed, (ast.List, ast.Tuple)):
            yield from (
                str(item.value)
                for item in listed.elts
                if isinstance(item, ast.Constant) and _is_name(item.value)
            )


def _is_environment(node: ast.expr) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _ENVIRONMENT
    return isinstance(node, ast.Name) and node.id in _ENVIRONMENT


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _NAME.fullmatch(value) is not None


# --- calls and constants -------------------------------------------------------------------------


def _calls(tree: ast.AST) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def _called(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _constants(module: ast.Module) -> dict[str, str]:
    """The texts that stand at the top of the file, by their names."""
    return {
        target.id: node.value.value
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def _written(tree: ast.AST) -> Iterator[str]:
    """How the lines begin that it writes: up to the first value put in."""
    for call in _calls(tree):
        if _called(call) != "write_to_bazelrc" or not call.args:
            continue
        text = call.args[0]
        while isinstance(text, ast.BinOp):
            text = text.left
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield re.split(r"%s|\{\}", text.value)[0]
