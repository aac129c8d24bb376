"""What tensorflow.python.tf2 gives: this is version 1."""


def enabled() -> bool:
    """Whether version 2's behaviour is on."""
    return False


def enable() -> None:
    """Change nothing."""


disable = enable
