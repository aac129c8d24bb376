"""How test methods can end."""

REASONS = (
    "passed",
    "skipped",  # by the test itself
    "missing name",
    "not implemented",
    "refused",  # an error where TensorFlow has a value
    "wrong value",  # a number, a shape or a type
    "accepted",  # no error where TensorFlow has one
    "other error",  # one of another class than TensorFlow's
    "other assertion",  # texts and names
    "crashed",
    "timed out",
    "out of memory",
)
