"""Entry points as installers read them, and where two of them would see different commands."""

import pytest

from tfbuild.wheels.entry_points import list_text, loaded_unasked, read_commands


def test_the_commands_of_both_groups_and_no_others() -> None:
    text = "# a\n[console_scripts]\nTiny=a:b\n  x.y = a:c [extra]\n\n[gui_scripts]\ng = a:d\n"
    assert read_commands(text + "[x.plug-ins]\na/b: c = d\n") == ({"Tiny", "x.y", "g"}, "")
    assert read_commands("") == (set(), "")


@pytest.mark.parametrize(
    "heading",
    [
        *("[[console_scripts]]", "[[console_scripts]", "[console_scripts]]", "[gui_scripts]]]"),
        *("[ console_scripts ]", "[console_scripts]x]", "[console_scripts] = x", "[a]\x0b[[b]"),
    ],
)
def test_a_heading_that_installers_read_differently_is_doubted(heading: str) -> None:
    _, doubt = read_commands(f"[first]\n{heading}\npip = tiny:evil\n")
    assert "is another to each installer" in doubt


@pytest.mark.parametrize(
    "text",
    [
        *("[[console_scripts]]\npip = a:b\n", "[console_scripts]]\n pip = a:b\n"),
        *("[DEFAULT]\npip = a:b\n[console_scripts]\n", "[console_scripts]\nx = a:b\x0cpip = a:b\n"),
    ],
)
def test_what_one_installer_sees_is_there(text: str) -> None:
    assert "pip" in read_commands(text)[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[DEFAULT]\npip = a:b\n[console_scripts]\n", "pip"),
        ("[gui_scripts]\n;pip = a:b\n", ";pip"),
    ],
)
def test_a_command_that_only_some_see_is_doubted(text: str, name: str) -> None:
    assert read_commands(text)[1] == f"some installers see the command {name!a}, others do not"


@pytest.mark.parametrize(
    "text", ["console_scripts", "[console_scripts]\npip\n", "[x]\na = b\na = c\n", "\ufeff[x]\n"]
)
def test_what_one_installer_cannot_read_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"value|header|already exists"):
        read_commands(text)


def test_lists_without_an_end_are_refused() -> None:
    with pytest.raises(ValueError, match="at most"):
        read_commands("[a]\n" + "=\n" * 20_000)
    with pytest.raises(ValueError, match="larger than any"):
        list_text(None)


@pytest.mark.parametrize(
    ("group", "who"),
    [
        *(("pytest11", "pytest"), ("virtualenv.create", "virtualenv"), ("jupyter_x", "jupyter")),
        *(("tensorboard_plugins", "tensorboard"), ("triton.backends", "triton")),
        *(("networkx.backend_info", "networkx"), ("vllm.general_plugins", "vllm")),
        *(("dask.sizeof", "dask"), ("xarray.backends", "xarray"), ("gymnasium.envs", "gymnasium")),
    ],
)
def test_groups_that_programs_load_unasked(group: str, who: str) -> None:
    text = f"[{group}]\nx = a:b\n[mine]\ny = a:b\n"
    assert loaded_unasked(text) == ((group, who),)
    assert loaded_unasked(text, who) == ((group, ""),)


def test_another_distribution_of_a_program_may_have_its_groups() -> None:
    assert loaded_unasked("[tensorboard_plugins]\nx=a\n", "tb-nightly") == (
        ("tensorboard_plugins", ""),
    )
    assert loaded_unasked("[triton.backends]\nx=a\n", "pytorch-triton-rocm")[0][1] == ""


@pytest.mark.parametrize("group", ["pyinstaller40", "devpi_client", "array_api", "fsspec.specs"])
def test_groups_that_honest_wheels_have_are_left_alone(group: str) -> None:
    """NumPy says to PyInstaller what it needs, keyring signs in to devpi."""
    assert loaded_unasked(f"[{group}]\nx = a:b\n") == ()
