"""The checks of doctor, one module per group; `doctor` gathers and runs them."""
