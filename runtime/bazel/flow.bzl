"""The three rules of the runtime: flow_library, flow_tests and cuda_library.

They use only what Bazel 2.1 to 7 have in common.
"""

load("//bazel:cuda.bzl", _cuda_library = "cuda_library")

# nvcc takes the host compiler's options through cuda_library, which has its own list.
_COPTS = [
    "-std=c++17",
    "-fno-math-errno",
    # Nobody reads the floating point flags; without it loops with a choice are no vectors.
    "-fno-trapping-math",
    "-fopenmp",
    # Functions on vectors are part of their callers, so that no calling convention applies.
    "-Wno-psabi",
    "-Wall",
    "-Wextra",
]

def flow_copts():
    """The compile options of this project's own C++ code."""
    return _COPTS + select({
        "//bazel:opt": ["-O3"],
        "//conditions:default": [],
    }) + select({
        "//bazel:strict": ["-Werror"],
        "//conditions:default": [],
    })

def flow_files(endings, exclude = [], beginning = ""):
    """The files with one of these endings, of this folder and of the folders in it.

    With a beginning only those whose name has it.
    """
    patterns = ["**/" + beginning + "*" + ending for ending in endings]
    return sorted(native.glob(patterns, exclude = exclude))

# Headers are two fifths of the time that a file takes: six files of a folder read them once.
_TOGETHER = 6

def together(sources):
    """Files in which a folder's neighbours among the sources stand one behind the other.

    Each is named after its files (add+add_n+all.cc), is compiled anew when one of them changes, and
    names them to the compiler, so that messages and debuggers speak of them. What is local to a
    file is seen by those behind it: two of them cannot call two things alike.
    """
    of_folder = {}
    for source in sources:
        of_folder.setdefault(source.rpartition("/")[0], []).append(source)
    return [
        _one_file(folder, group)
        for folder, files in of_folder.items()
        for group in _groups(files)
    ]

def _groups(files):
    """The files in their order, in as few groups as there can be, all of about the same size."""
    count = (len(files) + _TOGETHER - 1) // _TOGETHER
    return [files[len(files) * i // count:len(files) * (i + 1) // count] for i in range(count)]

def _one_file(folder, files):
    if len(files) == 1:
        return files[0]
    names = [file.rpartition("/")[2][:-len(".cc")] for file in files]
    path = (folder + "/" if folder else "") + "+".join(names) + ".cc"
    native.genrule(
        name = path[:-len(".cc")],
        srcs = files,
        outs = [path],
        cmd = "for file in $(SRCS); do echo \"#line 1 \\\"$$file\\\"\" && cat $$file; done > $@",
    )
    return path

def flow_library(
        name,
        deps = [],
        srcs = None,
        hdrs = None,
        exclude = [],
        copts = [],
        apart = False,
        **attributes):
    """One folder, with the folders in it, as one library: all .cc and .h files but the tests and
    what exclude names; the .cc files together with their neighbours, unless they stay apart.

    Its headers alone are the filegroup :headers, for what links against the shared library.
    Kernels and ops register themselves when they are loaded, so everything is linked in.
    """
    left_out = exclude + ["**/*_test.cc", "**/*_test.h"]
    headers = flow_files([".h"], exclude = left_out)
    native.filegroup(
        name = "headers",
        srcs = headers,
        visibility = ["//visibility:public"],
    )
    sources = flow_files([".cc"], exclude = left_out) if srcs == None else srcs
    native.cc_library(
        name = name,
        srcs = sources if apart else together(sources),
        hdrs = headers if hdrs == None else hdrs,
        copts = flow_copts() + copts,
        linkstatic = 1,
        alwayslink = 1,
        deps = deps,
        visibility = ["//visibility:public"],
        **attributes
    )

def flow_tests(
        name,
        deps = [],
        srcs = None,
        copts = [],
        main = "//testing:main",
        **attributes):
    """One test program of all *_test.cc files of the folder and the folders in it, and the main."""
    native.cc_test(
        name = name,
        srcs = flow_files(["_test.cc", "_test.h"]) if srcs == None else srcs,
        # What is tested is compiled as it is delivered; the tests themselves need not be fast.
        copts = flow_copts() + ["-O1"] + copts,
        linkstatic = 1,
        size = "small",
        deps = deps + [main],
        **attributes
    )

# For a shared library with base in it or linked against one: destructors of its static objects are not
# registered, see base/leaked_objects.cc.
LEAKED_OBJECTS = ["-Wl,--wrap=__cxa_atexit"]

def flow_shared(name, deps = [], copts = [], linkopts = [], **attributes):
    """A shared library; name ends in .so. Libraries it is linked against go into srcs."""
    native.cc_binary(
        name = name,
        copts = flow_copts() + copts,
        linkopts = linkopts + ["-Wl,--build-id=sha1"],
        linkshared = 1,
        linkstatic = 1,
        deps = deps,
        visibility = ["//visibility:public"],
        **attributes
    )

cuda_library = _cuda_library
