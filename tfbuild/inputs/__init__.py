"""The source code that a plan builds: fetched, verified, and staged as a copy."""
