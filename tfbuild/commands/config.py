"""What `tfbuild config` does: tell where each setting comes from."""

from tfbuild.commands.context import read_settings
from tfbuild.core.serialization import to_plain
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text


def config_show(*, as_json: bool) -> None:
    """Print each setting, its value and who set it."""
    settings = read_settings((), {})
    if as_json:
        rows = [to_plain(setting) for setting in settings.values]
        print_json(
            {"schema": "tfbuild.config/1", "settings": rows, "warnings": list(settings.warnings)}
        )
        return
    reporter = ConsoleReporter()
    for warning in settings.warnings:
        reporter.warn(warning)
    rows = [(s.name, s.value, s.origin) for s in settings.values]
    if rows:
        reporter.table("", ("setting", "value", "set by"), rows)
    else:
        print_text("nothing is set: every choice is tfbuild's own")
