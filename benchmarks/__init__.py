"""Measurements that compare side by side in one run; none of them is a test."""
