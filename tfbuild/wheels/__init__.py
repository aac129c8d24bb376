"""Reading and writing wheels: device code, CPU level, symbols, names, SBOMs."""
