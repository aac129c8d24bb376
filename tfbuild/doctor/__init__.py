"""This machine: what it has, whether that will do, and for which build. Changes nothing."""
