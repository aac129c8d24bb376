"""Measurements that compare side by side in one run, and the attack; none of them is a test."""
