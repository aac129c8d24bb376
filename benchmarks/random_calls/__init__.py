"""Random calls of TensorFlow's public functions, here and there."""
