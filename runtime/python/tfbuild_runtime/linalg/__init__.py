"""Matrices of which only what makes them up is kept: TensorFlow's linear operators."""
