"""What input pipelines and checkpoints cost beside TensorFlow."""
