"""What is read without the library's tree is what the library itself reads, and its errors."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from tfbuild.core.paths import data_folder
from tfbuild.core.plain_yaml import load_yaml

FAST = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml may be missing
SCALARS = some.one_of(
    some.none(),
    some.booleans(),
    some.integers(),
    some.text(max_size=8),
    some.sampled_from(
        ("yes", "null", "~", "3.10", "0x1f", "0o7", "1_000", "<<", "=", "", "#", ".")
    ),
)
VALUES = some.recursive(
    SCALARS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(SCALARS, inner, max_size=3),
    max_leaves=12,
)


@given(value=VALUES, flow=some.booleans())
def test_any_value_is_read_back(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=True)
    assert load_yaml(text, yaml.SafeLoader) == yaml.safe_load(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# nothing\n",
        "--- 1\n...\n",
        "- &one [1, 2]\n- *one\n",
        "a: &a {b: 1}\nc: {<<: *a, d: 2}\n",
        "a: !!str 3\nb: !!set {x, y}\n",
        "{a: 1, a: 2}\n",
        "- yes\n- 'yes'\n- 2024-01-02\n- 1.5\n- |\n  text\n",
        "- plain\n  over lines\n- ''\n-\n",
    ],
)
def test_what_is_more_than_plain_is_left_to_the_library(text: str) -> None:
    for loader in (yaml.SafeLoader, FAST):
        assert load_yaml(text, loader) == yaml.safe_load(text)


def test_an_alias_is_the_same_object() -> None:
    first, second = load_yaml("- &one [1, 2]\n- *one\n", yaml.SafeLoader)
    assert first is second


@pytest.mark.parametrize(
    "text",
    ["a: [1", "a: b: c", "- *nobody", "? [1]\n: 2", "--- 1\n--- 2\n", "!!python/name:os.system x"],
)
def test_a_mistake_is_told_as_the_library_tells_it(text: str) -> None:
    with pytest.raises(yaml.YAMLError) as theirs:
        yaml.safe_load(text)
    with pytest.raises(yaml.YAMLError) as ours:
        load_yaml(text, yaml.SafeLoader)
    assert str(ours.value) == str(theirs.value)


def test_every_matrix_is_read_alike() -> None:
    for path in data_folder("matrices").glob("*.yaml"):
        text = path.read_text()
        assert load_yaml(text, FAST) == yaml.load(text, FAST)
