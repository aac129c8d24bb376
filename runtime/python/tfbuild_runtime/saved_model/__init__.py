"""Graphs with variables, files and signatures in a folder, as TensorFlow Serving takes them."""
