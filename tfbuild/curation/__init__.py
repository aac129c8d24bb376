"""Keeping the facts right: consistency, real cases, finished builds as evidence, refresh."""
