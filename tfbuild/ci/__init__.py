"""Pipelines of CI systems, out of plain data."""
