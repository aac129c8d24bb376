"""TensorFlow's own op tests, from a source tree that the user has, on the runtime's wheel."""
