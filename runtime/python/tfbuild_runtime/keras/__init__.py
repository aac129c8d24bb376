"""tf.keras as TensorFlow 1 programs use it: layers and models on a graph, trained on arrays."""
