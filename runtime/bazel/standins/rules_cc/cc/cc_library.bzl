"""One rule for a file, as newer releases of rules_cc are loaded."""

load(":defs.bzl", _cc_library = "cc_library")

cc_library = _cc_library
