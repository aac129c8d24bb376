"""What becomes of an installed product: laid out, audited, tried, packed."""
