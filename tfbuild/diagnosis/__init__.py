"""Why it failed: the catalogue of pitfalls, what of it a log holds, and the root cause first."""
