"""Public names of this package: which function of which module each of them is."""

_PLACE = "tfbuild_runtime.platform"

_GFILE = (
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory",
    "ListDirectory", "MakeDirs", "MkDir", "Open", "Remove", "Rename", "Stat", "Walk",
)  # fmt: skip
_IO_GFILE = (
    "GFile", "copy", "exists", "glob", "isdir", "listdir", "makedirs", "mkdir", "remove", "rename",
    "rmtree", "stat", "walk",
)  # fmt: skip
_TEXT = (
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types",
    "integral_types", "path_to_str", "real_types",
)  # fmt: skip

EXPORTS = {
    "app": f"{_PLACE}.app:",
    "flags": f"{_PLACE}.flags:",
    "logging": f"{_PLACE}.tf_logging:",
    **{f"gfile.{name}": f"{_PLACE}.gfile:{name}" for name in _GFILE},
    **{f"io.gfile.{name}": f"{_PLACE}.io_gfile:{name}" for name in _IO_GFILE},
    **{f"compat.{name}": f"{_PLACE}.text:{name}" for name in _TEXT},
    **{f"test.{name}": f"{_PLACE}.test:{name}" for name in ("TestCase", "get_temp_dir", "main")},
}
