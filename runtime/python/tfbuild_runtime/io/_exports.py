"""The public names of record files, queues, readers and parsing, as name -> module:attribute."""

_RECORDS = ("TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator")
_QUEUES = ("FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue")
_READERS = (
    "FixedLengthRecordReader", "IdentityReader", "ReaderBase", "TFRecordReader", "TextLineReader",
    "WholeFileReader",
)  # fmt: skip
_FILES = ("matching_files", "read_file", "write_file")
_PARSING = (
    "FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature", "decode_csv",
    "decode_compressed", "decode_json_example", "decode_raw", "parse_example",
    "parse_single_example", "parse_tensor", "serialize_tensor",
)  # fmt: skip
_SEQUENCES = ("parse_sequence_example", "parse_single_sequence_example")


def _names(module: str, names: tuple[str, ...], *prefixes: str) -> dict[str, str]:
    place = f"tfbuild_runtime.io.{module}"
    return {f"{prefix}{name}": f"{place}:{name}" for prefix in prefixes for name in names}


EXPORTS = {
    **_names("tf_record", _RECORDS, "python_io.", "io."),
    **_names("queues", _QUEUES, "", "io.", "queue."),
    **_names("readers", _READERS, ""),
    **_names("files", _FILES, "", "io."),
    **_names("parsing", _PARSING, "", "io."),
    **_names("ragged_features", ("RaggedFeature",), "io."),
    **_names("sequence_parsing", _SEQUENCES, "io."),
    "parse_single_sequence_example": (
        "tfbuild_runtime.io.sequence_parsing:parse_single_sequence_example"
    ),
    **{
        f"{prefix}{name}": f"tfbuild_runtime.ops.sparse_row_ops:{name}"
        for prefix in ("", "io.")
        for name in ("serialize_sparse", "serialize_many_sparse", "deserialize_many_sparse")
    },
    **_names("staging", ("StagingArea",), "contrib.staging."),
}
