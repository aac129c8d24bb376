"""TensorFlow's messages, as programs build and read them."""
