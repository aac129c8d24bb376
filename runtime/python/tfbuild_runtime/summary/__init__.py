"""Summaries of values, and the event files that TensorBoard reads."""
