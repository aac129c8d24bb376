"""Reading `matrices/` and `recipes/`: rows, ranges and rules. Decides nothing."""
