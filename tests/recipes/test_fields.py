"""Documentation and schema of recipe files: made of the records, as the reader takes them."""

from pathlib import Path

import jsonschema
import pytest

from tests.failing import fails
from tests.sample_recipes import A_RECIPE, written
from tfbuild.core.safe_files import read_yaml
from tfbuild.recipes.catalogue import all_recipes
from tfbuild.recipes.fields import all_keys, json_schema
from tfbuild.recipes.reader import read_recipe


def test_every_key_says_what_it_means() -> None:
    keys = {key.path: key for key in all_keys()}
    assert keys["source.releases"].form == "list of mappings, or a mapping by version"
    assert keys["name"].is_required
    assert not keys["build.folder"].is_required
    assert [path for path, key in keys.items() if not key.says] == []


def test_the_schema_takes_what_the_reader_takes(tmp_path: Path) -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    for path in (*(recipe.path for recipe in all_recipes()), written(tmp_path, A_RECIPE)):
        jsonschema.validate(read_yaml(path), schema)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("summary:", "sumary:", "recipe-has-faults"),
        ("system: cmake", "system: cmak", "recipe-word-unknown"),
        ("licenses: [LICENSE]", "licenses: LICENSE", "recipe-value-unfit"),
        ("default: on", "defaults: on", "recipe-has-faults"),
        ("run: [bin/greet]", "runs: [bin/greet]", "recipe-key-unknown"),
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(
    tmp_path: Path, old: str, new: str, code: str
) -> None:
    path = written(tmp_path, A_RECIPE.replace(old, new))
    with fails(code):
        read_recipe(path)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(read_yaml(path), json_schema())
