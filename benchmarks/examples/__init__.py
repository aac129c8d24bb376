"""The programs of runtime/examples, beside the same programs on TensorFlow."""
