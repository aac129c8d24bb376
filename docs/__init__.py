"""The documentation's site: `pages/` is written by hand, `reference/` is made from the code."""
