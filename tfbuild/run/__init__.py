"""Carries a plan out, whatever its recipe: one order of stages, one report."""
