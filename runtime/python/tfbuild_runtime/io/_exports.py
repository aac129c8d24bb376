"""The public names of record files, queues, readers and parsing, as name -> module:attribute."""

_RECORDS = ("TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator")
_QUEUES = ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue")
_READERS = (
    "FixedLengthRecordReader", "IdentityReader", "ReaderBase", "TFRecordReader", "TextLineReader",
    "WholeFileReader",
)  # fmt: skip
_FILES = ("matching_files", "read_file", "write_file")
_PARSING = (
    "FixedLenFeature", "FixedLenSequenceFeature", "VarLenFeature", "decode_raw", "parse_example",
    "parse_single_example",
)  # fmt: skip


def _names(module: str, names: tuple[str, ...], *prefixes: str) -> dict[str, str]:
    place = f"tfbuild_runtime.io.{module}"
    return {f"{prefix}{name}": f"{place}:{name}" for prefix in prefixes for name in names}


EXPORTS = {
    **_names("tf_record", _RECORDS, "python_io.", "io."),
    **_names("queues", _QUEUES, "", "io.", "queue."),
    **_names("readers", _READERS, ""),
    **_names("files", _FILES, "", "io."),
    **_names("parsing", _PARSING, "", "io."),
}
