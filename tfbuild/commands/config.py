"""What `tfbuild config` does: tell where each setting comes from."""

from tfbuild.commands.context import read_settings
from tfbuild.core.masking import mask, mask_all
from tfbuild.core.reporter import SilentReporter
from tfbuild.core.serialization import to_plain
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text


def config_show(*, as_json: bool) -> None:
    """Print each setting, its value and who set it."""
    if as_json:
        settings = read_settings((), {}, SilentReporter())
        rows = [mask_all(to_plain(setting)) for setting in settings.values]
        print_json(
            {"schema": "tfbuild.config/1", "settings": rows, "warnings": list(settings.warnings)}
        )
        return
    reporter = ConsoleReporter()
    settings = read_settings((), {}, reporter)
    rows = [(s.name, mask(s.value), s.origin) for s in settings.values]
    if rows:
        reporter.table("", ("setting", "value", "set by"), rows)
    else:
        print_text("nothing is set: every choice is tfbuild's own")
