"""cuda_as_cpp: .cu files as .cc files, each of which includes one, for a C++ compiler."""

def _cuda_as_cpp_impl(ctx):
    wrapped = []
    for source in ctx.files.srcs:
        name = "%s/%s.cc" % (ctx.label.name, source.basename)
        file = ctx.actions.declare_file(name)
        ctx.actions.write(file, '#include "%s"\n' % source.short_path)
        wrapped.append(file)
    return [DefaultInfo(files = depset(wrapped))]

cuda_as_cpp = rule(
    implementation = _cuda_as_cpp_impl,
    attrs = {"srcs": attr.label_list(allow_files = [".cu"], mandatory = True)},
)
