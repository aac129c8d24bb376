"""The variables of a build."""

from tfbuild.drivers.variables import build_variables
from tfbuild.recipes.records import CMakeBuild


def test_paths_and_days_leave_no_trace_and_the_recipes_flags_come_last() -> None:
    step = CMakeBuild(
        folder="", arguments=(), targets=(), expect=(),
        environment=(("CFLAGS", "-fno-plt"), ("CC", "clang"), ("TZ", "CET")),
    )  # fmt: skip
    found = dict(build_variables(step, compile_flags="-O2", link_flags="-Wl,-rpath,x"))
    assert found["CFLAGS"].startswith("-O2 -ffile-prefix-map={source}=. ")
    assert found["CFLAGS"].endswith(" -fstack-protector-strong -fno-plt")
    assert found["CXXFLAGS"].endswith("-fstack-protector-strong")
    assert found["LDFLAGS"] == "-Wl,-z,relro -Wl,-z,now -Wl,--as-needed -Wl,-rpath,x"
    assert (found["CC"], found["TZ"]) == ("clang", "CET")
    assert found["SOURCE_DATE_EPOCH"].isdigit()
