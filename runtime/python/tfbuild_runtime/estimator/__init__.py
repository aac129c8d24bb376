"""Estimators: a model function, trained, evaluated and asked on its own."""
