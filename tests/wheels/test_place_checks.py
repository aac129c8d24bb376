"""What a wheel installs beside its package: each fails with a plan and is only stated without."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.shared_libraries import a_subject, compile_c, tiny_wheel
from tfbuild.core.plans import AuditPolicy
from tfbuild.core.reports import AuditFinding
from tfbuild.wheels import place_checks as check
from tfbuild.wheels.audit_subject import AuditSubject

INFO, DATA = "tiny_thing-1.0.dist-info", "tiny_thing-1.0.data"
Check = Callable[[AuditSubject], AuditFinding]
CHECKS = (check.check_places, check.check_start, check.check_machine_code)


def both(wheel: Path, check_it: Check) -> AuditFinding:
    """The finding with a plan, after the one without has stated the same."""
    without = check_it(a_subject(wheel, policy=AuditPolicy()))
    found = check_it(a_subject(wheel))
    if found.state == "failed":
        assert without.state == "skipped"
        assert without.detail == f"stated, not judged: {found.detail}"
    return found


def test_a_plain_wheel_passes(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/licenses/LICENSE": b"", "tiny_thing/weights.pth": b""})
    assert [check_it(a_subject(wheel)).state for check_it in CHECKS] == ["passed"] * 3


@pytest.mark.parametrize(
    "name", ["other/__init__.py", "tiny_thing.py", "tiny_thing.libs/a", "tiny_thing-1.0.egg-info"]
)
def test_what_lies_beside_the_planned_folders_fails(tmp_path: Path, name: str) -> None:
    found = check.check_places(a_subject(tiny_wheel(tmp_path, {name: b""})))
    assert (found.state, found.detail) == ("failed", f"{name} lies outside")


@pytest.mark.parametrize("place", ["headers/x", "data/share/doc/a/x", "scripts/x"])
def test_other_folders_of_an_installation_are_outside(tmp_path: Path, place: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/{place}": b""})
    assert both(wheel, check.check_places).detail == f"{DATA}/{place} lies outside"


def test_a_folder_that_installers_do_not_know_fails_in_every_wheel(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/evil/x": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "do not know where to put" in found.detail


@pytest.mark.parametrize(
    "name",
    [
        *("bin/python3", "bin/tool", "lib/python3.11/json/__init__.py", "lib64/python3/a.py"),
        *("etc/profile.d/x.sh", "etc/ld.so.preload", "pyvenv.cfg", "usr/lib/x", "sbin/x"),
        *("lib/x86_64-linux-gnu/libx.so", "lib/udev/rules.d/x", "lib/liba.so", "lib/libc.so.6"),
        *("lib64/ld-linux-x86-64.so.2", "lib/libpython3.11.so.1.0", "lib/libssl.so.3"),
        *("libexec/git-core/git-x", "opt/x", "conda-meta/history"),
    ],
)
def test_data_for_folders_of_the_system_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/data/{name}": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert (found.state, found.detail) == (
        "failed", f"{DATA}/data/{name} goes to a folder of the system",
    )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    [
        *("share/man/man1/a.1", "share/doc/tiny/a.html", "share/tiny_thing/a.service", "LICENSE"),
        *("include/tiny_thing/a.h", "include/tiny_thing.h"),
    ],
)
def test_other_data_is_stated(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/data/{name}": b""})
    assert check.check_places(a_subject(wheel, policy=AuditPolicy())).state == "skipped"


@pytest.mark.parametrize(
    "name",
    [
        *("numpy/__init__.py", "numpy/core/evil.so", "pip/__main__.py", "pkg_resources/a.py"),
        *("some_thing/new.py", "some_thing.py", f"{DATA}/platlib/numpy/linalg.py"),
    ],
)
def test_files_in_packages_of_others_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {name: b""}, requires=("Some-Thing>1", "tiny-thing[x]"))
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "which another distribution brings" in found.detail


@pytest.mark.parametrize(
    ("file", "name"),
    [
        *(("six.py", "six"), ("yaml/__init__.py", "yaml"), ("PIL/Image.py", "PIL")),
        *(("google/protobuf/message.py", "google/protobuf"), ("_yaml.abi3.so", "_yaml")),
        *(("tensorflow/python/evil.py", "tensorflow"), ("simplejson/__init__.py", "simplejson")),
        *(("chardet.py", "chardet"), ("brotli.py", "brotli"), ("zstandard/a.py", "zstandard")),
        *(("h2/a.py", "h2"), ("tornado/a.py", "tornado"), ("tf_keras/a.py", "tf_keras")),
    ],
)
def test_names_of_well_known_packages_fail_in_every_wheel(
    tmp_path: Path, file: str, name: str
) -> None:
    for place in (file, f"{DATA}/purelib/{file}"):
        wheel = tiny_wheel(tmp_path, {place: b""})
        found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
        said = f"{place} lies in the package {name}, which another distribution brings"
        assert (found.state, found.detail) == ("failed", said)


@pytest.mark.parametrize("file", ["google/__init__.py", "google.py", "google.abi3.so"])
def test_a_package_that_distributions_share_has_no_code_of_one(tmp_path: Path, file: str) -> None:
    """It would run in place of all of them, and hide theirs."""
    wheel = tiny_wheel(tmp_path, {file: b"", "tiny_thing/google.py": b"", "google/x/a.py": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    said = f"{file} takes the place of google, which distributions share"
    assert (found.state, found.detail) == ("failed", said)


@pytest.mark.parametrize(
    ("distribution", "file"),
    [
        *(("six", "six.py"), ("PyYAML", "yaml/__init__.py"), ("protobuf", "google/protobuf/a.py")),
        *(("tensorflow_cpu", "tensorflow/a.py"), ("tf_nightly", "tensorflow/a.py")),
        *(("google_auth", "google/auth/a.py"), ("tiny_thing", "numpy.libs/a.so")),
        *(("opencv_contrib_python", "cv2/a.py"), ("intel_tensorflow", "tensorflow/a.py")),
    ],
)
def test_who_brings_a_name_may(tmp_path: Path, distribution: str, file: str) -> None:
    wheel = tiny_wheel(tmp_path, {file: b""}, name=distribution)
    assert check.check_places(a_subject(wheel, policy=AuditPolicy())).state == "passed"


def test_a_planned_package_may_have_any_name(tmp_path: Path) -> None:
    """As of a TensorFlow that is built under a name of one's own."""
    wheel = tiny_wheel(tmp_path, {"tensorflow/__init__.py": b""})
    policy = AuditPolicy(version="1.0", folders=("tiny_thing", "tensorflow"))
    assert check.check_places(a_subject(wheel, policy=policy)).state == "passed"


def test_a_distribution_may_bring_its_own_and_unknown_packages(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {"other/__init__.py": b""}, requires=("numpy",))
    assert check.check_places(a_subject(wheel, policy=AuditPolicy())).state == "passed"
    files = {"pkg_resources/__init__.py": b"", "numpy_more/a.py": b""}
    wheel = tiny_wheel(tmp_path, files, name="setuptools")
    assert check.check_places(a_subject(wheel, policy=AuditPolicy())).state == "passed"


def test_the_description_holds_what_describes(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {f"{INFO}/direct_url.json": b""})
    found = check.check_places(a_subject(wheel))
    assert found.detail == f"{INFO}/direct_url.json does not describe the wheel"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "evil.pth",
            ".pth",
            ".PTH",
            ".start",
            "EVIL.PTH",
            "evil.start",
            "sitecustomize.py",
            "usercustomize/__init__.py",
        ),
        *("sitecustomize.cpython-311-x86_64-linux-gnu.so", f"{DATA}/purelib/evil.pth"),
        *(f"{DATA}/platlib/usercustomize.py", f"{DATA}/data/lib/python3.11/site-packages/x.pth"),
    ],
)
def test_what_runs_at_every_start_fails_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {name: b"import os"})
    for policy in (None, AuditPolicy()):
        found = check.check_start(a_subject(wheel, policy=policy))
        said = f"{name} runs in every Python that starts, whatever it imports"
        assert (found.state, found.detail) == ("failed", said)


@pytest.mark.parametrize(
    ("name", "who"),
    [
        *(("_virtualenv.py", "virtualenv"), ("apport_python_hook.py", "apport")),
        *(("_distutils_hack/__init__.py", "setuptools"), ("_manylinux.py", "packaging")),
        *(("__editable___numpy_1_0_finder.py", "setuptools"), ("msvcrt.py", "cpython")),
        *(("_editable_impl_numpy.py", "editables"), ("_numpy_editable_loader.py", "meson-python")),
        *(("winreg.cpython-311-x86_64-linux-gnu.so", "cpython"), ("org/python/core.py", "cpython")),
        *(("jax_plugins/x/__init__.py", "jax"), ("tensorflow-plugins/libx.so", "tensorflow")),
        *(("_distutils_system_mod.py", "setuptools"), ("urllib3_secure_extra.py", "pip")),
        *(("cPickle/__init__.py", "pip"), ("_sqlite3.abi3.so", "cpython")),
        (f"{DATA}/purelib/_virtualenv.pyc", "virtualenv"),
    ],
)
def test_what_others_import_unasked_fails_in_every_wheel(
    tmp_path: Path, name: str, who: str
) -> None:
    for owner in ("tiny_thing", who.replace("-", "_")):  # nor does its name make it harmless
        wheel = tiny_wheel(tmp_path / owner, {name.replace("tiny_thing", owner): b""}, name=owner)
        found = check.check_start(a_subject(wheel, policy=AuditPolicy()))
        assert (found.state, found.built) == ("failed", "1 file")
        assert f"not know it: {who} imports it wherever it is there" in found.detail


@pytest.mark.parametrize(
    ("distribution", "file"),
    [("psycopg2_binary", "psycopg2/__init__.py"), ("PyMySQL", "pymysql/a.py"), ("gi", "gi/a.py"),
     ("pytest_xdist", "xdist/a.py"), ("torch_xla", "torch_xla/a.py")],
)  # fmt: skip
def test_who_is_named_after_a_module_may_bring_it(
    tmp_path: Path, distribution: str, file: str
) -> None:
    wheel = tiny_wheel(tmp_path, {file: b""}, name=distribution)
    assert check.check_start(a_subject(wheel, policy=AuditPolicy())).state == "passed"


def test_below_a_listed_path_too_but_nowhere_else(tmp_path: Path) -> None:
    files = {"tiny_thing/boot/msvcrt.py": b"", "msvcrt.txt": b"", "nt.org/a.py": b"", "ntx.py": b""}
    wheel = tiny_wheel(tmp_path / "a", files)
    assert check.check_start(a_subject(wheel, policy=AuditPolicy())).state == "passed"
    wheel = tiny_wheel(tmp_path / "b", {**files, "tiny.pth": b"tiny_thing/boot\n"})
    found = check.check_start(a_subject(wheel, policy=AuditPolicy()))
    assert (found.state, found.built) == ("failed", "2 files")


def test_a_list_of_paths_without_code_is_stated(tmp_path: Path) -> None:
    found = both(tiny_wheel(tmp_path, {"more.pth": b"tiny_thing/more\n"}), check.check_start)
    assert found.detail == "more.pth adds to where every Python looks for modules"


def test_machine_code_by_another_name_fails(tmp_path: Path) -> None:
    raw = compile_c(tmp_path).read_bytes()
    fine = tiny_wheel(tmp_path, {"tiny_thing/libtiny.so": raw, "tiny_thing/libtiny.so.1": raw})
    assert both(fine, check.check_machine_code).state == "passed"
    wheel = tiny_wheel(tmp_path / "b", {"tiny_thing/data.bin": raw})
    found = both(wheel, check.check_machine_code)
    assert found.detail == "tiny_thing/data.bin is machine code by another name"


@pytest.mark.parametrize(
    ("name", "raw", "what"),
    [
        ("a.pyc", b"\xa7\r\r\n", "bytecode"),
        ("b.a", b"!<arch>\nx", "a static library"),
        ("c.dll", b"MZ\0\0", "machine code of Windows"),
        ("d.dylib", b"\xcf\xfa\xed\xfe", "machine code of macOS"),
        ("e.wasm", b"\0asm", "WebAssembly"),
    ],
)
def test_other_code_fails(tmp_path: Path, name: str, raw: bytes, what: str) -> None:
    found = both(tiny_wheel(tmp_path, {f"tiny_thing/{name}": raw}), check.check_machine_code)
    assert found.detail == f"tiny_thing/{name} is {what}"


def test_a_data_folder_of_another_name_fails_in_every_wheel(tmp_path: Path) -> None:
    wheel = tiny_wheel(tmp_path, {"x.data/purelib/sitecustomize.py": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert "which installers unpack" in found.detail


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1c", "\x1e", "\x85", "\u2028"])
def test_a_list_of_paths_has_all_the_line_ends_of_python(tmp_path: Path, end: str) -> None:
    wheel = tiny_wheel(tmp_path, {"tiny.pth": f"# paths{end}import sys\n".encode()})
    assert check.check_start(a_subject(wheel, policy=AuditPolicy())).state == "failed"


def test_a_module_of_the_start_below_a_listed_path_fails(tmp_path: Path) -> None:
    files = {"tiny.pth": b"tiny_thing/boot\n", "tiny_thing/boot/sitecustomize.py": b""}
    found = check.check_start(a_subject(tiny_wheel(tmp_path, files), policy=AuditPolicy()))
    assert found.state == "failed"


@pytest.mark.parametrize(
    "name",
    [
        *("share/fish/vendor_conf.d/x.fish", "share/zsh/vendor-completions/_ls"),
        *("share/bash-completion/completions/git", "share/uv/python/cpython-3.13/bin/python3"),
        *("share/systemd/user/x.service", "share/autostart/x.desktop", "share/mime/x.xml"),
        *("share/dbus-1/services/x.service", "share/gdb/auto-load/x.py"),
    ],
)
def test_data_that_other_programs_run_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/data/{name}": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert (
        found.detail == f"{DATA}/data/{name} goes where other programs run or obey what they find"
    )


@pytest.mark.parametrize("name", ["pip.conf", ".condarc", "condarc", ".hidden", "environment.json"])
def test_settings_at_the_top_of_an_environment_fail_in_every_wheel(
    tmp_path: Path, name: str
) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/data/{name}": b""})
    for policy in (None, AuditPolicy()):
        found = check.check_places(a_subject(wheel, policy=policy))
        assert found.state == "failed"
        assert f"{name} lies at the top of the environment, where pip" in found.detail


@pytest.mark.parametrize(
    "name",
    [
        *(
            "share/jupyter/kernels/python3/kernel.json",
            "share/jupyter/labextensions/a/package.json",
        ),
        *("share/jupyter/nbextensions/a/main.js", "share/jupyter/lab/settings/overrides.json"),
        *("share/jupyter/nbconvert/templates/lab/conf.json", "etc/jupyter/a.json"),
        *("etc/jupyter/jupyter_server_config.py", "etc/jupyter/jupyter_server_config.json"),
        *("etc/jupyter/custom/a.py", "etc/jupyter/jupyter_server_config.d/a.json"),
        "etc/jupyter/nbconfig/notebook.d/a.json",
    ],
)
def test_data_that_jupyter_runs_fail_in_every_wheel(tmp_path: Path, name: str) -> None:
    wheel = tiny_wheel(tmp_path, {f"{DATA}/data/{name}": b""})
    found = check.check_places(a_subject(wheel, policy=AuditPolicy()))
    assert found.state == "failed"
    assert found.detail == f"{DATA}/data/{name} goes where Jupyter runs or obeys what it finds"


@pytest.mark.parametrize("scheme", ["", f"{DATA}/data/share/"])
def test_a_list_of_paths_that_names_a_file_fails_in_every_wheel(
    tmp_path: Path, scheme: str
) -> None:
    """Python imports from it, if it is a zip file: sitecustomize at its start, for one."""
    up = "../../../share/" if scheme else ""
    files = {f"{scheme}tiny_thing/data.bin": b"PK", "a.pth": f"{up}tiny_thing/data.bin\n".encode()}
    wheel = tiny_wheel(tmp_path, files)
    for policy in (None, AuditPolicy()):
        found = check.check_start(a_subject(wheel, policy=policy))
        assert found.state == "failed"
        assert "a.pth leads to the file" in found.detail


def test_a_package_of_others_below_a_list_of_paths_fails(tmp_path: Path) -> None:
    files = {"a.pth": b"tiny_thing/more\n", "tiny_thing/more/yaml/__init__.py": b""}
    found = check.check_places(a_subject(tiny_wheel(tmp_path, files), policy=AuditPolicy()))
    assert "lies in the package yaml" in found.detail
    del files["a.pth"]
    wheel = tiny_wheel(tmp_path, files)
    assert check.check_places(a_subject(wheel, policy=AuditPolicy())).state == "passed"
