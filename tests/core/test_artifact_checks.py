"""Which words can be a file of a package index, and which cannot."""

from dataclasses import replace

import pytest

from tfbuild.core.artifact_checks import check_artifact, check_digest, pin
from tfbuild.core.records import Artifact

FILE = Artifact(
    distribution="onednn-cpu-gomp", version="2023.2.0", sha256="0f" * 32, kind="build",
    filename="onednn_cpu_gomp-2023.2.0-py2.py3-none-manylinux1_x86_64.whl",
)  # fmt: skip
OTHER_SPELLING = replace(
    FILE, distribution="Zope.Interface", version="1.0-rc1+cu12", size=12,
    filename="zope_interface-1.0rc1+cu12-1-cp39-abi3-linux_x86_64.whl",
)  # fmt: skip


@pytest.mark.parametrize("file", [FILE, OTHER_SPELLING])
def test_a_real_one_passes(file: Artifact) -> None:
    check_artifact(file)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"distribution": ""}, "distribution"),
        ({"distribution": "a" * 201}, "distribution"),
        ({"distribution": "onednn-cpu-gomp\n"}, "distribution"),
        ({"distribution": "onednn-cpu-gomp[x]"}, "distribution"),
        ({"distribution": "onednn cpu"}, "distribution"),
        ({"distribution": "\u017fix"}, "distribution"),
        ({"version": "2023.2.0\n"}, "version"),
        ({"version": " 2023.2.0"}, "version"),
        ({"version": "2023.2.*"}, "version"),
        ({"version": ""}, "version"),
        ({"version": "9" * 400}, "version"),
        ({"filename": "onednn_cpu_gomp-2023.2.0.tar.gz"}, "filename"),
        ({"filename": FILE.filename + "\n"}, "filename"),
        ({"filename": "x/" + FILE.filename}, "filename"),
        ({"filename": FILE.filename.replace("py2", "py2 ")}, "filename"),
        ({"filename": "a" * 250 + "-1-py3-none-any.whl"}, "filename"),
        ({"filename": "-" + FILE.filename}, "filename"),
        ({"version": "2023.2.1"}, "filename"),
        ({"distribution": "onednn"}, "filename"),
        ({"sha256": "0F" * 32}, "sha256"),
        ({"sha256": "0f" * 32 + "\n"}, "sha256"),
        ({"kind": "other"}, "kind"),
        ({"size": -1}, "size"),
        ({"size": 1 << 60}, "size"),
    ],
)
def test_what_cannot_be_one_is_named(change: dict[str, str], place: str) -> None:
    with pytest.raises(ValueError, match=f"^{place}: "):
        check_artifact(replace(FILE, **change))  # type: ignore[arg-type]


def test_a_pin_is_in_one_spelling() -> None:
    assert pin(FILE) == "onednn-cpu-gomp==2023.2.0"
    assert pin(OTHER_SPELLING) == "zope-interface==1.0rc1+cu12"
    for wrong in (replace(FILE, distribution="a @ b"), replace(FILE, version="1 #")):
        with pytest.raises(ValueError, match="unexpected"):
            pin(wrong)


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "g" * 64, "0" * 64 + "\n"])
def test_a_digest_has_64_digits(text: str) -> None:
    with pytest.raises(ValueError, match="sha256"):
        check_digest(text)
