"""What `configure` does: the configuration of a TensorFlow source tree, and nothing else."""

from collections.abc import Mapping

from tfbuild.commands.context import open_tools, read_request
from tfbuild.core.errors import BadRequest
from tfbuild.core.paths import named_path
from tfbuild.core.serialization import to_plain
from tfbuild.facts.installed import open_tables
from tfbuild.reporting.console import ConsoleReporter, print_json, print_text


def configure(
    words: tuple[str, ...], flags: Mapping[str, str], *, as_json: bool, verbosity: int
) -> None:
    """Write the configuration into the tree, and print the answers that it was made of."""
    from tfbuild.builds.configuration import configure_source

    with ConsoleReporter(verbosity) as reporter:
        request = read_request(words, flags, reporter)
        with open_tools(reporter, keep=True) as tools:
            configured = configure_source(request, open_tables(), tools)
    if as_json:
        print_json({"schema": "tfbuild.configured/1", **to_plain(configured)})
    else:
        answers = "".join(f"  {name}={value}\n" for name, value in configured.settings)
        print_text(f"wrote {configured.rc_file}\n{answers}")


def show_script(source: str, platform: str) -> None:
    """Print how a tree is built on macOS or Windows; nothing is written."""
    from tfbuild.sources.other_systems import script_for
    from tfbuild.sources.recognition import recognise
    from tfbuild.sources.tensorflow_tree import read_tree

    folder = named_path(source).absolute()
    if not source or recognise(folder) != "tensorflow":
        raise BadRequest(
            "a script for another system is made of a TensorFlow source tree",
            code="source-tree-not-named",
            hint="name the tree with --source",
        )
    print_text(script_for(read_tree(folder), open_tables().variables(), platform))
