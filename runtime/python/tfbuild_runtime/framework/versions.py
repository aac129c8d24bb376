"""tf.version: which TensorFlow's interface and graphs these are, and what wrote this."""

from tfbuild_runtime import __version__

# Of the interface: programs compare it with the release that brought or dropped a function.
VERSION = "1.15.0"
GIT_VERSION = f"tfbuild_runtime {__version__}"
COMPILER_VERSION = "unknown"
# Of TensorFlow 1.15, whose ops and attributes are the runtime's.
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
