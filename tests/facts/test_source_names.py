"""Short names of sources."""

from tfbuild.facts.rules import load_facts
from tfbuild.facts.source_names import find_source, names_of_sources, short_source
from tfbuild.facts.tables import Tables


def test_a_short_name_leads_back_to_its_document(tables: Tables) -> None:
    for words, name in names_of_sources(tables).items():
        assert " " not in name
        assert find_source(name, tables) == words
    assert find_source("nothing-at-all", tables) == ""


def test_every_written_fact_has_a_short_source(tables: Tables) -> None:
    names = names_of_sources(tables)
    for rule in load_facts(tables).rules:
        if rule.fact.kind in {"rule", "requirement", "usual", "tested", "packages"}:
            assert short_source(rule.fact.source, names), rule.fact.id
    assert short_source("a paper that nobody has", names) == ""
