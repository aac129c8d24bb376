"""What a wheel installs beside the site folder: what is not known to be harmless is a fault."""

import pytest

from tfbuild.wheels.data_places import obeyed
from tfbuild.wheels.installation import Installed


def why(below: str, *, own: str = "tiny-thing", scheme: str = "data") -> str:
    place = Installed(name=f"x.data/{scheme}/{below}", scheme=scheme, below=below)
    return "; ".join(obeyed(place, own))


@pytest.mark.parametrize(
    "below",
    [
        *("share/doc/tiny/a.html", "share/doc/other/.buildinfo", "share/licenses/x/LICENSE"),
        *("share/man/man1/a.1", "share/man/de/man3x/a.3x.gz", "share/icons/hicolor/48x48/a.png"),
        *("share/tiny_thing/a.service", "share/Tiny.Thing/a/b", "include/tiny_thing/a.h"),
        *("include/tiny-thing.h", "LICENSE", "README.md", "LICENSE-APACHE.txt", "CHANGES.rst"),
    ],
)
def test_texts_and_what_is_its_own_are_harmless(below: str) -> None:
    assert why(below) == ""


@pytest.mark.parametrize(
    "below",
    [
        *(
            "pip.conf",
            ".condarc",
            "condarc",
            ".hidden",
            "anything",
            "README.so",
            "environment.json",
        ),
        *(".config/pip/pip.conf", ".ssh/config", "ssl/openssl.cnf", "condabin/conda"),
        *("lib/gio/modules/x.so", "lib/gtk-3.0/modules/x.so", "lib/ossl-modules/x.so"),
        *("lib/libffi.so.8", "lib/libz.so.1", "lib64/libx.so", "lib/unheard/of"),
        *("share/thumbnailers/a.thumbnailer", "share/applications/a.desktop", "share/mime/a.xml"),
        *("include/stdlib.h", "include/sys/types.h", "include/other/a.h", "include/a.h"),
        *("share/uv/python/cpython-3.13/lib/python3.13/os.py", "share/pipx/venvs/x/bin/python3"),
        *("state/tfbuild/results/a.json", "share/unheard/of", "unheard/of", "share/file"),
        *("share/doc/../../pip.conf", "share/doc/x/../../../pip.conf", "share/man/man1/../x"),
        *("share/tiny_thing/../../pip.conf", "include/./stdlib.h", "share//pip.conf", "/pip.conf"),
        *("share/doc/a", "README/pip.conf", "share/jupyter/nbconvert/templates/lab/conf.json"),
    ],
)
def test_everything_else_is_a_fault(below: str) -> None:
    assert why(below)


@pytest.mark.parametrize(
    ("own", "below"),
    [
        *(("applications", "share/applications/a.desktop"), ("mime", "share/mime/a.xml")),
        *(("jupyter", "share/jupyter/kernels/a/kernel.json"), ("linux", "include/linux/if.h")),
        *(("stdlib", "include/stdlib.h"), ("openssl", "include/openssl/ssl.h")),
        *(("bash-completion", "share/bash-completion/completions/git"), ("sys", "include/sys/a.h")),
        *(("uv", "share/uv/python/a"), ("state", "state/tfbuild/a"), ("lib", "lib/a")),
    ],
)
def test_no_name_of_a_distribution_makes_a_shared_folder_its_own(own: str, below: str) -> None:
    assert why(below, own=own)


def test_headers_have_a_folder_of_their_own_but_not_among_pythons() -> None:
    assert why("stdlib.h", scheme="headers") == ""
    for own in ("cpython", "internal"):
        assert why("object.h", own=own, scheme="headers") == "goes among the headers of Python"
    assert why("pip.conf", scheme="site") == ""
