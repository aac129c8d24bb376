"""Drives Meson with Ninja."""

from tfbuild.core.errors import CommandFailed, ConfigureFailed
from tfbuild.core.records import Command, Pairs
from tfbuild.core.safe_files import parse_json
from tfbuild.drivers.course import Course, carry_out, definitions, folder_in
from tfbuild.drivers.progress import NinjaProgress
from tfbuild.drivers.site import Site
from tfbuild.drivers.variables import build_variables
from tfbuild.recipes.records import BuildStep

_OPTIONS = ("--libdir=lib", "--buildtype=release", "--default-library=shared")
_RPATH = "-Wl,-rpath,$ORIGIN/../lib"  # products find each other wherever they are unpacked


class MesonDriver:
    """Carries steps with Meson out."""

    def commands(self, step: BuildStep, *, prefix: str, jobs: int) -> tuple[Command, ...]:
        """The commands that configure, build and install, with {placeholders}."""
        variables = build_variables(step, link_flags=_RPATH)
        return (
            Command(
                argv=(
                    *("meson", "setup", "{build}", folder_in("{source}", step)),
                    *(f"--prefix={prefix}", *_OPTIONS, "--wrap-mode=nodownload"),
                    *step.arguments,
                ),
                stage="configure",
                purpose="configure",
                cwd="{work}",
                env=variables,
            ),
            Command(
                argv=("ninja", "-C", "{build}", f"-j{jobs}", *step.targets),
                stage="build",
                purpose="build",
                cwd="{work}",
                env=variables,
            ),
            Command(
                argv=("meson", "install", "-C", "{build}", "--no-rebuild"),
                stage="install",
                purpose="install",
                cwd="{work}",
                env=(*variables, ("DESTDIR", "{stage}")),
            ),
        )

    def build(self, step: BuildStep, site: Site) -> Pairs:
        """Install what the step builds below {stage}, and return what was read back of it.

        Raises ConfigureFailed, BuildFailed, OutOfMemory and DiskFull.
        """
        course = Course(
            system="Meson",
            builder="Meson",
            commands=self.commands(step, prefix=site.prefix, jobs=site.jobs),
            asked=definitions(step.arguments),
            read_back=lambda: _options(site),
            follow=lambda: NinjaProgress(site.tools.reporter),
            details=("meson-logs/meson-log.txt",),
        )
        return carry_out(course, step, site)


def _options(site: Site) -> Pairs:
    """Names and values of all options, as Meson itself lists them."""
    ask = Command(
        argv=("meson", "introspect", "{build}", "--buildoptions"), cwd="{work}", quiet=True
    )
    try:
        found = parse_json(site.place.run(ask).stdout)
        return tuple((str(entry["name"]), _text(entry["value"])) for entry in found)
    except (CommandFailed, ValueError, KeyError, TypeError) as error:
        raise ConfigureFailed(
            "Meson does not list its options",
            code="meson-options-not-listed",
            why=str(error),
            hint="see the log",
        ) from error


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join(str(item) for item in value)
    return str(value)
