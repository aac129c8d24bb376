"""The day a GPU is there: all that only it can prove, in one command and one file of results."""
