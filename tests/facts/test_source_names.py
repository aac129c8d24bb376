"""Short names of sources."""

from tfbuild.facts.rules import load_facts
from tfbuild.facts.source_names import (
    find_source,
    names_of_sources,
    short_source,
    source_address,
)
from tfbuild.facts.tables import Tables


def test_a_short_name_leads_back_to_its_document(tables: Tables) -> None:
    for words, name in names_of_sources(tables).items():
        assert " " not in name
        assert find_source(name, tables) == words
    assert find_source("nothing-at-all", tables) == ""


def test_documents_of_public_repositories_have_an_address() -> None:
    at = "https://github.com/tensorflow/"
    assert source_address("tensorflow/tensorflow issue 40688") == f"{at}tensorflow/issues/40688"
    assert source_address("tensorflow/tensorflow pull request 4") == f"{at}tensorflow/pull/4"
    words = "tensorflow/docs site/en/install/source.md@7c3650212740, tested build configurations"
    assert source_address(words) == f"{at}docs/blob/7c3650212740/site/en/install/source.md"
    assert source_address("Package index, file list of numpy") == ""


def test_every_written_fact_has_a_short_source(tables: Tables) -> None:
    names = names_of_sources(tables)
    for rule in load_facts(tables).rules:
        if rule.fact.kind in {"rule", "requirement", "usual", "tested", "packages"}:
            assert short_source(rule.fact.source, names), rule.fact.id
    assert short_source("a paper that nobody has", names) == ""
