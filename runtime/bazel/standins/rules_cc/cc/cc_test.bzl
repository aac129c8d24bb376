"""One rule for a file, as newer releases of rules_cc are loaded."""

load(":defs.bzl", _cc_test = "cc_test")

cc_test = _cc_test
