"""The command line: words and options, and errors as exit codes."""
