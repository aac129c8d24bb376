"""The silent reporter takes everything that a reporter is given."""

import inspect

from tfbuild.core.reporter import Reporter, SilentReporter


def test_the_silent_reporter_has_every_method() -> None:
    wanted = {n for n, _ in inspect.getmembers(Reporter, inspect.isfunction) if n[0] != "_"}
    assert wanted <= {n for n, _ in inspect.getmembers(SilentReporter, inspect.isfunction)}
    silent: Reporter = SilentReporter()
    silent.stage("build")
    silent.done("build", seconds=1.0, state="passed")
