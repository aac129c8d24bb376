"""Layers: objects and functions that make their variables and the operations that use them."""
