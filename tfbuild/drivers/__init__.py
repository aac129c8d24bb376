"""Build systems, a driver each: it configures, builds, installs, and reads back what held."""
