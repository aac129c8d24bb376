"""An error that is raised again keeps its code."""

from tfbuild.core.errors import BadRecipe, BadRequest
from tfbuild.core.rephrasing import rephrased

ERROR = BadRecipe("x.yaml: a", code="a-code", why="because", hint="fix it", log="/run/log.txt")


def test_another_class_says_the_same() -> None:
    found = rephrased(ERROR, BadRequest)
    assert type(found) is BadRequest
    assert (found.code, found.message) == ("a-code", "x.yaml: a")
    assert (found.why, found.hint, found.log) == ("because", "fix it", "/run/log.txt")


def test_other_words_have_the_same_code() -> None:
    found = rephrased(ERROR, BadRecipe, "x.yaml, line 3: a")
    assert (found.code, found.message, found.why) == ("a-code", "x.yaml, line 3: a", "because")
