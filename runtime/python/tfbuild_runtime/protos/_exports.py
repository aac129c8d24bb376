"""The public names of messages, as name -> module:attribute."""

_TOP = (
    "AttrValue", "ConfigProto", "Event", "GPUOptions", "GraphDef", "GraphOptions", "HistogramProto",
    "LogMessage", "MetaGraphDef", "NameAttrList", "NodeDef", "OptimizerOptions", "RunMetadata",
    "RunOptions", "SessionLog", "Summary", "SummaryMetadata", "TensorInfo",
)  # fmt: skip
_SUMMARY = ("Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata")
_TRAIN = (
    "BytesList", "CheckpointState", "ClusterDef", "Example", "Feature", "FeatureList",
    "FeatureLists", "Features", "FloatList", "Int64List", "JobDef", "QueueRunnerDef", "SaverDef",
    "SequenceExample", "ServerDef",
)  # fmt: skip

EXPORTS = {
    prefix + name: f"tfbuild_runtime.protos.messages:{name}"
    for prefix, names in (("", _TOP), ("summary.", _SUMMARY), ("train.", _TRAIN))
    for name in names
}
EXPORTS.update(
    {f"{prefix}{name}": f"tfbuild_runtime.protos.tensor_messages:{name}"
     for prefix in ("", "contrib.util.") for name in ("make_ndarray", "make_tensor_proto")}
)  # fmt: skip
