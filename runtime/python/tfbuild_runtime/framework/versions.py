"""tf.version: which TensorFlow's graphs are read and written, and what wrote this."""

from tfbuild_runtime import __version__

VERSION = __version__
GIT_VERSION = f"tfbuild_runtime {__version__}"
COMPILER_VERSION = "unknown"
# Of TensorFlow 1.15, whose ops and attributes are the runtime's.
GRAPH_DEF_VERSION = 134
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
