"""What only a TensorFlow tree says of its TensorFlow Lite, and its library tried beside LiteRT."""
