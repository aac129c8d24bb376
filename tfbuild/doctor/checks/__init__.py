"""One module per group of doctor's checks."""
