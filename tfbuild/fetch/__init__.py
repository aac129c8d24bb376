"""What comes from outside, and the cache that keeps it: indexes, Bazel, CUDA, environments."""
