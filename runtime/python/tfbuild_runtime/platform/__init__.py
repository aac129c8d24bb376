"""What a program uses of its surroundings: flags, logging, files, texts, tests."""
