"""What can be asked of `build` and `plan`: one module for each kind, all with the same methods."""
