"""Datasets, the iterators that read them, and the files that they come from."""
