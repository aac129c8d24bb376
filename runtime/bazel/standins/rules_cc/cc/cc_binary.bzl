"""One rule for a file, as newer releases of rules_cc are loaded."""

load(":defs.bzl", _cc_binary = "cc_binary")

cc_binary = _cc_binary
