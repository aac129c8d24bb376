"""Metrics: numbers about a whole set of examples, kept in local variables."""
