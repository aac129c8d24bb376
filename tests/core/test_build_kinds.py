"""The table of options: whole, and refusing with a way that works."""

import pytest

from tfbuild.cli.options import BuildOptions
from tfbuild.cli.workspace import WorkspaceOptions
from tfbuild.core.axes import AXES
from tfbuild.core.build_kinds import OBEYED_BY, TYPED_ALONE, obeys, require_obeyed
from tfbuild.core.errors import BadRequest
from tfbuild.core.settings import OPTIONS


def test_every_option_has_a_row_and_every_row_an_option() -> None:
    fields = {*BuildOptions.__dataclass_fields__, *WorkspaceOptions.__dataclass_fields__}
    named = {name.replace("_", "-") for name in fields} - {"words", *AXES}
    assert named | {"for", "json"} == set(OBEYED_BY)
    assert {*OPTIONS, *TYPED_ALONE} == set(OBEYED_BY)


def test_what_is_obeyed_passes_and_the_rest_is_refused() -> None:
    require_obeyed("lite", ("os", "source", "model"))
    assert obeys("runtime", "cuda")
    assert not obeys("workspace", "cuda")
    with pytest.raises(BadRequest, match="cuda means nothing to --workspace") as axis:
        require_obeyed("workspace", ("bazel", "cuda"))
    assert "bazel" in axis.value.why
    with pytest.raises(BadRequest, match="--image is an option of") as option:
        require_obeyed("lite", ("source", "image"))
    assert option.value.hint == "leave it out"
