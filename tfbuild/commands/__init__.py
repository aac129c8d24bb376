"""What each command does, with its options already read."""
