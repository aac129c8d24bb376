"""What graphs of a thousand to a million nodes cost beside TensorFlow."""
