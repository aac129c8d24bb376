"""Data sets in the files that tutorials use."""
