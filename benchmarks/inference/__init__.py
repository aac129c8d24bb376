"""Inference of the examples' networks beside PyTorch and ONNX Runtime, on the same weights."""
