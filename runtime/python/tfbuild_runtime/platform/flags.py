"""Flags of the command line: DEFINE_integer("steps", 10, "...") and FLAGS.steps."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_TRUE = ("true", "t", "1", "yes", "y")
_FALSE = ("false", "f", "0", "no", "n")


class Error(Exception):
    """Something about flags is wrong."""


class DuplicateFlagError(Error):
    """A flag of that name is there already."""


class IllegalFlagValueError(Error):
    """A value that the flag cannot have."""


class UnrecognizedFlagError(Error):
    """The command line has a flag that nobody defined."""


class UnparsedFlagAccessError(Error):
    """A flag was read before the command line was."""


class Flag:
    """One flag: its name, default, help, and how its value is read from text."""

    def __init__(self, name: str, default: Any, help: str | None, parse: Callable[[Any], Any],
                 short_name: str | None = None, boolean: bool = False) -> None:  # fmt: skip
        self.name = name
        self.short_name = short_name
        self.help = help or ""
        self.boolean = boolean
        self.required = False
        self._parse = parse
        self.default = None if default is None else self.read(default)
        self.value = self.default
        self.present = 0
        self.validators: list[tuple[Callable[[Any], bool], str]] = []

    def read(self, text: Any) -> Any:
        """Return the value that a text stands for; raises IllegalFlagValueError."""
        try:
            return self._parse(text)
        except (TypeError, ValueError) as error:
            raise IllegalFlagValueError(f"flag --{self.name}={text}: {error}") from None

    def check(self) -> None:
        """Raise IllegalFlagValueError when a validator refuses the value."""
        if self.required and self.value is None:
            raise IllegalFlagValueError(f"flag --{self.name}=None: Flag --{self.name} must have a "
                                        "value other than None.")  # fmt: skip
        for validator, message in self.validators:
            if not validator(self.value):
                raise IllegalFlagValueError(f"flag --{self.name}={self.value}: {message}")


class FlagValues:
    """All flags of the program; each is an attribute. Reading one reads the command line first."""

    def __init__(self) -> None:
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__flags":
            raise AttributeError(name)
        if name == "__flags":
            return self._flags
        if name not in self._flags:
            raise AttributeError(name)
        if not self._parsed:
            self(sys.argv)
        return self._flags[name].value

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._flags:
            raise AttributeError(name)
        flag = self._flags[name]
        flag.value = value if value is None else flag.read(value)
        flag.check()
        flag.present += 1

    def __delattr__(self, name: str) -> None:
        self._flags.pop(name)

    def __getitem__(self, name: str) -> Flag:
        return self._flags[name]  # type: ignore[no-any-return]

    def __contains__(self, name: object) -> bool:
        return name in self._flags

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._flags))

    def __len__(self) -> int:
        return len(self._flags)

    def __dir__(self) -> list[str]:
        return sorted(self._flags)

    def define(self, flag: Flag) -> None:
        """Add a flag; raises DuplicateFlagError when one of that name is there."""
        for name in filter(None, (flag.name, flag.short_name)):
            if name in self._flags:
                raise DuplicateFlagError(f"The flag '{name}' is defined twice.")
            self._flags[name] = flag

    def is_parsed(self) -> bool:
        """Whether the command line has been read."""
        return bool(self._parsed)

    def mark_as_parsed(self) -> None:
        """Let flags be read without a command line."""
        self.__dict__["_parsed"] = True

    def unparse_flags(self) -> None:
        """Read the command line again when a flag is next read."""
        self.__dict__["_parsed"] = False

    def flag_values_dict(self) -> dict[str, Any]:
        """Return the values of all flags by name."""
        return {name: flag.value for name, flag in self._flags.items()}

    def set_default(self, name: str, value: Any) -> None:
        """Give a flag another default."""
        flag = self._flags[name]
        flag.default = None if value is None else flag.read(value)
        if not flag.present:
            flag.value = flag.default

    def __call__(self, argv: Sequence[str], known_only: bool = False) -> list[str]:
        """Read a command line whose first word is the program; return what is no flag.

        Raises an Error for a flag that nobody defined, unless known_only, or a wrong value.
        """
        rest = _Reader(self._flags, list(argv[1:]), known_only).read()
        self.mark_as_parsed()
        for flag in self._flags.values():
            flag.check()
        return [argv[0], *rest] if argv else rest

    def _parse_flags(self, args: Sequence[str] | None = None) -> list[str]:
        return self(sys.argv if args is None else [sys.argv[0], *args])

    def get_help(self, prefix: str = "", include_special_flags: bool = True) -> str:
        """Return the help of all flags as text, with a prefix before each line."""
        del include_special_flags  # there are none
        lines = []
        for name in sorted({flag.name for flag in self._flags.values()}):
            flag = self._flags[name]
            lines.append(f"  --{'[no]' if flag.boolean else ''}{name}: {flag.help}\n"
                         f"    (default: {flag.default!r})")  # fmt: skip
        return "\n".join(prefix + line for text in lines for line in text.split("\n"))


class _Reader:
    """Walks once through the words of a command line."""

    def __init__(self, flags: dict[str, Flag], words: list[str], known_only: bool) -> None:
        self._flags = flags
        self._words = words
        self._known_only = known_only
        self._rest: list[str] = []

    def read(self) -> list[str]:
        while self._words:
            word = self._words.pop(0)
            if word == "--":
                self._rest += self._words
                break
            if word.startswith("-") and len(word) > 1:
                self._flag(word)
            else:
                self._rest.append(word)
        return self._rest

    def _flag(self, word: str) -> None:
        name, equals, text = word.lstrip("-").partition("=")
        flag = self._flags.get(name)
        negated = flag is None and name.startswith("no")
        if negated:
            flag = self._flags.get(name[2:])
            negated = flag is not None and flag.boolean
            flag = flag if negated else None
        if flag is None:
            self._unknown(word, name)
            return
        if flag.boolean and not equals:
            flag.value = not negated
        elif negated:
            raise IllegalFlagValueError(f"flag --{name} does not take an argument")
        else:
            flag.value = flag.read(text if equals else self._next(name))
        flag.present += 1

    def _next(self, name: str) -> str:
        if not self._words:
            raise Error(f"Missing value for flag {name}")
        return self._words.pop(0)

    def _unknown(self, word: str, name: str) -> None:
        if name in ("help", "helpfull", "h") and not self._known_only:
            return
        if not self._known_only:
            raise UnrecognizedFlagError(f"Unknown command line flag '{name}'")
        self._rest.append(word)


FLAGS = FlagValues()


def _boolean(text: Any) -> bool:
    if isinstance(text, str):
        if text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
    elif isinstance(text, (bool, int)) and text in (0, 1):
        return bool(text)
    raise ValueError(f"Non-boolean argument to boolean flag {text!r}")


def _integer(text: Any) -> int:
    if isinstance(text, bool) or (isinstance(text, float) and not text.is_integer()):
        raise TypeError(f"expects an integer, not {text!r}")
    if isinstance(text, str):
        return int(text, 16) if text.lower().startswith("0x") else int(text, 10)
    return int(text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value)


def _list(value: Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return list(value)
    return [part.strip() for part in str(value).split(",")] if value else []


def _define(parse: Callable[[Any], Any], name: str, default: Any, help: str | None,
            flag_values: FlagValues, required: bool, *, boolean: bool = False,
            short_name: str | None = None, default_value: Any = None,
            flag_name: str | None = None, docstring: str | None = None) -> Flag:  # fmt: skip
    """Define a flag; the last three are what TensorFlow 1 called arguments of the beginning."""
    first = default if default_value is None else default_value
    flag = Flag(flag_name or name, first, help or docstring, parse, short_name, boolean)
    flag.required = required
    flag_values.define(flag)
    return flag


def _definer(parse: Callable[[Any], Any], what: str) -> Callable[..., None]:
    def define(name: str, default: Any = None, help: str | None = None,
               flag_values: FlagValues = FLAGS, required: bool = False,
               **args: Any) -> None:  # fmt: skip
        _define(parse, name, default, help, flag_values, required, **args)

    define.__doc__ = f"Define a flag that holds {what}."
    return define


def _number_definer(parse: Callable[[Any], Any], what: str) -> Callable[..., None]:
    def define(name: str, default: Any = None, help: str | None = None, lower_bound: Any = None,
               upper_bound: Any = None, flag_values: FlagValues = FLAGS, required: bool = False,
               **args: Any) -> None:  # fmt: skip
        flag = _define(parse, name, default, help, flag_values, required, **args)
        if lower_bound is not None:
            flag.validators.append((_at_least(lower_bound), f"lower_bound is {lower_bound}"))
        if upper_bound is not None:
            flag.validators.append((_at_most(upper_bound), f"upper_bound is {upper_bound}"))

    define.__doc__ = f"Define a flag that holds {what}."
    return define


def _at_least(limit: Any) -> Callable[[Any], bool]:
    return lambda value: value is None or value >= limit


def _at_most(limit: Any) -> Callable[[Any], bool]:
    return lambda value: value is None or value <= limit


DEFINE_string = _definer(_text, "a text")
DEFINE_integer = _number_definer(_integer, "a whole number")
DEFINE_float = _number_definer(float, "a number")
DEFINE_list = _definer(_list, "texts with commas between them")


def DEFINE_boolean(name: str, default: Any = None, help: str | None = None,
                   flag_values: FlagValues = FLAGS, module_name: str | None = None,
                   required: bool = False, **args: Any) -> None:  # fmt: skip
    """Define a flag that holds true or false: --name or --noname."""
    del module_name  # help is not parted by modules
    _define(_boolean, name, default, help, flag_values, required, boolean=True, **args)


DEFINE_bool = DEFINE_boolean


def DEFINE_enum(name: str, default: Any, enum_values: Sequence[str], help: str | None = None,
                flag_values: FlagValues = FLAGS, module_name: str | None = None,
                required: bool = False, **args: Any) -> None:  # fmt: skip
    """Define a flag that holds one of several texts."""
    del module_name

    def parse(text: Any) -> str:
        if text not in enum_values:
            raise ValueError(f"value should be one of <{'|'.join(enum_values)}>")
        return str(text)

    _define(parse, name, default, help, flag_values, required, **args)


DEFINE_multi_string = _definer(_list, "several texts")


def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Refuse a command line without that flag."""
    flag_values[flag_name].required = True


def mark_flags_as_required(flag_names: Sequence[str], flag_values: FlagValues = FLAGS) -> None:
    """Refuse a command line without those flags."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def register_validator(flag_name: str, checker: Callable[[Any], bool],
                       message: str = "Flag validation failed",
                       flag_values: FlagValues = FLAGS) -> None:  # fmt: skip
    """Refuse values of a flag for which checker is false."""
    flag_values[flag_name].validators.append((checker, message))


BooleanParser = _boolean
