"""tfbuild: from a request to a wheel that is proven to be what was asked for."""

__version__ = "0.2.0"
