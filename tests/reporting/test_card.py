"""The card of a build: whole, escaped, and nothing that a browser would load."""

import re
import xml.etree.ElementTree as ET
from base64 import b64decode

import pytest

from tfbuild.reporting.card import card_of
from tfbuild.reporting.html import Outcome

FACTS = [("audit", "28 passed, 2 skipped"), ("built with", "gcc 12.2 & <bazel>")]


@pytest.mark.parametrize("state", ["passed", "unproven", "failed"])
def test_a_card_says_what_was_made_and_how_it_ended(state: str) -> None:
    outcome = Outcome(state=state, title="Ready to <install>")  # type: ignore[arg-type]
    card = card_of("a-1.0.whl", outcome, FACTS, "tfbuild 0.2.0, 2026-01-31 23:59 UTC")
    words = [e.text for e in ET.fromstring(card.picture).iter() if e.text and e.text.strip()]
    assert words == [
        "a-1.0.whl", "Ready to <install>", "audit", "28 passed, 2 skipped", "built with",
        "gcc 12.2 & <bazel>", "tfbuild 0.2.0, 2026-01-31 23:59 UTC",
    ]  # fmt: skip
    assert b64decode(card.address.partition("base64,")[2]).decode() == card.picture
    assert not re.search(r"href|url\(|<script|<style|@import", card.picture)


def test_a_long_name_has_room() -> None:
    name = "tfbuild_runtime-0.1.0-1cu130-cp311-cp311-manylinux_2_35_x86_64.whl" * 2
    card = card_of(name, Outcome(state="passed", title="t"), [], "")
    (title,) = [e for e in ET.fromstring(card.picture).iter() if e.text == name]
    assert float(title.get("font-size", 0)) * 0.62 * len(name) <= 600
