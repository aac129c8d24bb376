"""Driving a Bazel: its call, server, events, progress and endings. Knows no target."""
