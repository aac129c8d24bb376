"""One rule for a file, as newer releases of rules_cc are loaded."""

load(":defs.bzl", _cc_import = "cc_import")

cc_import = _cc_import
