"""The public names of record files, as name -> module:attribute."""

_NAMES = ("TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator")

EXPORTS = {
    f"{prefix}.{name}": f"tfbuild_runtime.io.tf_record:{name}"
    for prefix in ("python_io", "io")
    for name in _NAMES
}
