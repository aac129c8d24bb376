"""The reference: one module for each kind of page, all of them made from the code."""
