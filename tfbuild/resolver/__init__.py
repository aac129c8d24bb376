"""From a question to versions with reasons, or to conflicts and alternatives."""
