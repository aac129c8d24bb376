"""Recipes: files that say how something is built, and the plans that are made of them."""
