"""Programs of others, from a folder that the user has, on TensorFlow and on the runtime's wheel."""
