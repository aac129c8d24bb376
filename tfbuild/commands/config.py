"""What `tfbuild config` does: show where each setting comes from."""

from collections.abc import Mapping

from tfbuild.commands.context import read_settings
from tfbuild.core.masking import mask, mask_address
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.serialization import to_plain
from tfbuild.core.settings import Setting
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text

_HOW = """
To set one, for example how many jobs run at once, most particular first:
  option     tfbuild build --jobs 4
  variable   TFBUILD_JOBS=4
  project    jobs = 4, below [tool.tfbuild] in pyproject.toml
`tfbuild build --help` names them."""
_ADDRESSES = ("remote-cache", "remote-executor")


def config_show(flags: Mapping[str, str], *, as_json: bool) -> None:
    """Print each setting, its value and who set it."""
    if as_json:
        settings = read_settings((), flags, SilentReporter())
        rows = [_shown(setting) for setting in settings.values]
        print_json(
            {
                "schema": "tfbuild.config/1",
                "settings": rows,
                "warnings": to_plain(settings.warnings),
            }
        )
        return
    reporter = ConsoleReporter()
    settings = read_settings((), flags, reporter)
    lines = [tuple(_shown(setting).values()) for setting in settings.values]
    if lines:
        reporter.table("", ("setting", "value", "set by"), lines)
    else:
        print_text("nothing is set: every choice is tfbuild's own")
    print_text(_HOW)


def _shown(setting: Setting) -> dict[str, str]:
    """Name, value and origin of a setting, without secrets."""
    hide = mask_address if setting.name in _ADDRESSES else mask
    return {"name": setting.name, "value": hide(setting.value), "origin": mask(setting.origin)}
