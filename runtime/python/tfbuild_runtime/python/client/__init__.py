"""What a session leaves behind, for people to look at."""
