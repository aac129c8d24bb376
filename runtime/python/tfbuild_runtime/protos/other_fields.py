"""The fields of messages that TensorFlow has elsewhere than most, which fields.py describes."""

# Of the package tensorflow.error.
ERROR_FIELDS = """
enum Code
  0 OK
  1 CANCELLED
  2 UNKNOWN
  3 INVALID_ARGUMENT
  4 DEADLINE_EXCEEDED
  5 NOT_FOUND
  6 ALREADY_EXISTS
  7 PERMISSION_DENIED
  8 RESOURCE_EXHAUSTED
  9 FAILED_PRECONDITION
  10 ABORTED
  11 OUT_OF_RANGE
  12 UNIMPLEMENTED
  13 INTERNAL
  14 UNAVAILABLE
  15 DATA_LOSS
  16 UNAUTHENTICATED
  20 DO_NOT_USE_RESERVED_FOR_FUTURE_EXPANSION_USE_DEFAULT_IN_SWITCH_INSTEAD_
"""

# Of the older syntax, in which a field that is not set differs from one that is zero.
DEBUG_FIELDS = """
GraphDebugInfo
  1 repeated string files
  2 map<string,GraphDebugInfo.StackTrace> traces
  4 map<fixed64,GraphDebugInfo.FileLineCol> frames_by_id
  5 map<string,fixed64> name_to_trace_id
  6 map<fixed64,GraphDebugInfo.StackTrace> traces_by_id
GraphDebugInfo.FileLineCol
  1 int32 file_index
  2 int32 line
  3 int32 col
  4 string func
  5 string code
GraphDebugInfo.StackTrace
  1 repeated GraphDebugInfo.FileLineCol file_line_cols
  2 repeated fixed64 frame_id packed
"""
