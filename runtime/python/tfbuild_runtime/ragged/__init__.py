"""Ragged tensors: rows of any length, as values one behind the other and where rows end."""
