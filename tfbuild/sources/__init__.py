"""Knows source trees: what they are, what they ask for, what they were configured to."""
