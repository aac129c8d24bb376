"""The public names of messages, as name -> module:attribute."""

_TOP = ("Event", "HistogramProto", "LogMessage", "SessionLog", "Summary", "SummaryMetadata")
_SUMMARY = ("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata")
_TRAIN = (
    "BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
    "Int64List", "QueueRunnerDef", "SaverDef", "SequenceExample",
)  # fmt: skip

EXPORTS = {
    prefix + name: f"tfbuild_runtime.protos.messages:{name}"
    for prefix, names in (("", _TOP), ("summary.", _SUMMARY), ("train.", _TRAIN))
    for name in names
}
EXPORTS["MetaGraphDef"] = "tfbuild_runtime.protos.messages:MetaGraphDef"
EXPORTS["train.CheckpointState"] = "tfbuild_runtime.protos.messages:CheckpointState"
EXPORTS.update(
    {f"{prefix}{name}": f"tfbuild_runtime.protos.tensor_messages:{name}"
     for prefix in ("", "contrib.util.") for name in ("make_ndarray", "make_tensor_proto")}
)  # fmt: skip
