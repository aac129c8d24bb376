"""Distributions of probability: densities, samples, moments and divergences."""
