"""TensorFlow Lite's library out of a TensorFlow tree: CMake build, audit, smoke test, archive."""
