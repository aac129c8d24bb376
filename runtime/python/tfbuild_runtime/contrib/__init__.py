"""What TensorFlow 1 had in tf.contrib, as far as programs use it."""
