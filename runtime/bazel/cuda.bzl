"""cuda_library: .cu files compiled by the nvcc of the repository @cuda, .cc files by the host's
compiler, which nvcc calls with the same options.

The same sources give the same bytes in every folder: nvcc keeps its intermediate names beside the
object, is given the source's name below the workspace, and is called by a relative path.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

_MODE = {
    "dbg": ["-O0", "-Xcompiler", "-g"],
    "fastbuild": ["-O1"],
    "opt": ["-O3", "-DNDEBUG"],
}

def _architectures(ctx):
    named = ctx.attr.architectures
    if not named:
        named = [a for a in ctx.var.get("tfbuild_cuda_architectures", "").split(":") if a]
    if not named:
        fail("no CUDA architectures: run configure.py with --cuda-architectures")
    return named

# All that kernels ask of an architecture is whether it is this or a newer one (cuda_launch.cuh). So the
# machine code of all of these comes from one PTX, which takes longer to make than the machine code.
# It is the one to embed as well: `ptx` in matrices/runtime.yaml.
_COMMON_PTX = 80

def _number(name):
    return name.split("_")[1]

def _gencode(architectures):
    """sm_90 becomes machine code, compute_90 becomes PTX."""
    codes = {}
    for name in architectures:
        number = _number(name)
        common = name.startswith("sm_") and number.isdigit() and int(number) >= _COMMON_PTX
        codes.setdefault(str(_COMMON_PTX) if common else number, []).append(name)
    return [
        "-gencode=arch=compute_%s,code=[%s]" % (number, ",".join(names))
        for number, names in codes.items()
    ]

def _list(architectures):
    """What the library says of itself, in one word as nvcc would cut others: _75_80."""
    numbers = {_number(name).rstrip("af"): None for name in architectures}
    return "-DTFBUILD_CUDA_ARCHITECTURES=_" + "_".join(numbers.keys())

def _compile(ctx, source, toolchain, features, context):
    """Compile one file to a position-independent object and return it."""
    stem = "_objs/%s/%s" % (ctx.label.name, source.basename)
    object_file = ctx.actions.declare_file(stem + ".pic.o")
    words = ctx.actions.args()
    words.add(ctx.file._nvcc)
    words.add("-ccbin", cc_common.get_tool_for_action(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
    ))
    words.add_all(["-std=c++17", "-c", source, "-o", object_file])
    words.add_all(_MODE[ctx.var["COMPILATION_MODE"]])
    if source.extension == "cu":
        words.add_all(_gencode(_architectures(ctx)))
        words.add(_list(_architectures(ctx)))
    words.add_all([
        "-objtemp",
        "-Xcudafe",
        "--orig_src_path_name=" + source.path,
        "-Xcompiler",
        "-fPIC,-fno-canonical-system-headers,-fno-math-errno,-Wall",
    ])
    if "tfbuild_strict" in ctx.var:
        words.add_all(["-Werror=all-warnings", "-Xcompiler", "-Werror"])
    words.add_all(context.defines, before_each = "-D")
    words.add("-I.")
    words.add_all(context.quote_includes, before_each = "-I")
    words.add_all(context.includes, before_each = "-I")
    words.add_all(context.system_includes, before_each = "-isystem")
    words.add_all(ctx.attr.copts)
    ctx.actions.run(
        executable = ctx.file._wrapper,
        arguments = [words],
        inputs = depset(
            [source] + ctx.files.hdrs,
            transitive = [context.headers, toolchain.all_files, depset(ctx.files._compiler)],
        ),
        outputs = [object_file],
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s for the GPU" % source.short_path,
        env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "SOURCE_DATE_EPOCH": "0"},
    )
    return object_file

def _cuda_library_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    seen = cc_common.merge_cc_infos(cc_infos = [d[CcInfo] for d in ctx.attr.deps])
    context = seen.compilation_context
    objects = [_compile(ctx, source, toolchain, features, context) for source in ctx.files.srcs]
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        compilation_outputs = cc_common.create_compilation_outputs(
            objects = depset(objects),
            pic_objects = depset(objects),
        ),
        user_link_flags = ctx.attr.linkopts,
        linking_contexts = [library[CcInfo].linking_context for library in ctx.attr.libraries],
        alwayslink = True,
        disallow_dynamic_library = True,
    )
    own = cc_common.create_compilation_context(headers = depset(ctx.files.hdrs))
    return [
        DefaultInfo(files = depset(objects)),
        CcInfo(
            compilation_context = cc_common.merge_cc_infos(cc_infos = [
                CcInfo(compilation_context = own),
                CcInfo(compilation_context = context),
            ]).compilation_context,
            linking_context = linking,
        ),
    ]

cuda_library = rule(
    implementation = _cuda_library_impl,
    doc = """GPU code for one shared library.

Headers of deps are seen, but deps are not linked in: their symbols come from the library that
the shared library is linked against, so that nothing registers itself twice.""",
    attrs = {
        "architectures": attr.string_list(doc = "sm_90 or compute_120; else what is configured"),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "hdrs": attr.label_list(allow_files = [".h", ".cuh"]),
        "libraries": attr.label_list(providers = [CcInfo], doc = "linked, as @cuda//:cublas"),
        "linkopts": attr.string_list(),
        "srcs": attr.label_list(allow_files = [".cu", ".cc"], mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_compiler": attr.label(default = "@cuda//:compiler"),
        "_nvcc": attr.label(default = "@cuda//:nvcc", allow_single_file = True),
        "_wrapper": attr.label(default = "//bazel:nvcc.sh", allow_single_file = True),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
