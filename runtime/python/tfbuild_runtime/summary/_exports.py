"""The public names of summaries, as name -> module:attribute."""

_OPS = (
    "audio", "get_summary_description", "histogram", "image", "merge", "merge_all", "scalar",
    "tensor_summary", "text",
)  # fmt: skip
_OLD = (
    "audio_summary", "histogram_summary", "image_summary", "merge_all_summaries", "merge_summary",
    "scalar_summary",
)  # fmt: skip
_PACKAGE = "tfbuild_runtime.summary"

EXPORTS = {
    **{f"summary.{name}": f"{_PACKAGE}.summary_ops:{name}" for name in _OPS},
    **{name: f"{_PACKAGE}.summary_ops:{name}" for name in _OLD},
    **{
        f"summary.{name}": f"{_PACKAGE}.writer:{name}" for name in ("FileWriter", "FileWriterCache")
    },
    **{
        f"train.{name}": f"{_PACKAGE}.writer:{name}"
        for name in ("SummaryWriter", "summary_iterator")
    },
}
