"""Modules that programs import by TensorFlow's own paths, such as tensorflow.python.client."""
