// RegexReplace and RegexFullMatch, with a pattern from the graph or from an attribute.
#include "graph/shape_context.h"
#include "kernels/string/each_string.h"
#include "kernels/string/regex.h"

namespace tfbuild {
namespace {

REGISTER_OP("RegexReplace")
    .Input("input: string").Input("pattern: string").Input("rewrite: string")
    .Output("output: string").Attr("replace_global: bool = true").ShapeFunction(UnchangedShape);
REGISTER_OP("StaticRegexReplace")
    .Input("input: string").Output("output: string")
    .Attr("pattern: string").Attr("rewrite: string").Attr("replace_global: bool = true")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("RegexFullMatch")
    .Input("input: string").Input("pattern: string").Output("output: bool")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("StaticRegexFullMatch")
    .Input("input: string").Output("output: bool").Attr("pattern: string")
    .ShapeFunction(UnchangedShape);

Result<std::string> OnlyString(const Tensor& tensor, const char* name) {
  if (tensor.rank() == 0) return tensor.data<std::string>()[0];
  return InvalidArgument(name, " must be scalar, but received ", tensor.shape());
}

template <bool kStatic>
class RegexReplaceOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(all_, construction.Attr<bool>("replace_global"));
    if (!kStatic) return OkStatus();
    ASSIGN_OR_RETURN(const std::string pattern, construction.Attr<std::string>("pattern"));
    ASSIGN_OR_RETURN(rewrite_, construction.Attr<std::string>("rewrite"));
    ASSIGN_OR_RETURN(regex_, Regex::Compile(pattern));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    if (kStatic) return Replace(context, regex_, rewrite_);
    ASSIGN_OR_RETURN(const std::string pattern, OnlyString(context->input(1), "pattern"));
    ASSIGN_OR_RETURN(const std::string rewrite, OnlyString(context->input(2), "rewrite"));
    ASSIGN_OR_RETURN(const Regex regex, Regex::Compile(pattern));
    return Replace(context, regex, rewrite);
  }

 private:
  Status Replace(OpKernelContext* context, const Regex& regex, const std::string& rewrite) const {
    return ForEachString<std::string>(context, 0, [&](const std::string& text) {
      return regex.Replace(text, rewrite, all_);
    });
  }
  Regex regex_;
  std::string rewrite_;
  bool all_ = true;
};

template <bool kStatic>
class RegexFullMatchOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    if (!kStatic) return OkStatus();
    ASSIGN_OR_RETURN(const std::string pattern, construction.Attr<std::string>("pattern"));
    ASSIGN_OR_RETURN(regex_, Regex::Compile(pattern));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    if (kStatic) return Match(context, regex_);
    ASSIGN_OR_RETURN(const std::string pattern, OnlyString(context->input(1), "pattern"));
    ASSIGN_OR_RETURN(const Regex regex, Regex::Compile(pattern));
    return Match(context, regex);
  }

 private:
  static Status Match(OpKernelContext* context, const Regex& regex) {
    return ForEachString<bool>(context, 0, [&](const std::string& text) {
      return Result<bool>(regex.FullMatch(text));
    });
  }
  Regex regex_;
};

REGISTER_KERNEL(Kernel("RegexReplace").OnCpu(), RegexReplaceOp<false>);
REGISTER_KERNEL(Kernel("StaticRegexReplace").OnCpu(), RegexReplaceOp<true>);
REGISTER_KERNEL(Kernel("RegexFullMatch").OnCpu(), RegexFullMatchOp<false>);
REGISTER_KERNEL(Kernel("StaticRegexFullMatch").OnCpu(), RegexFullMatchOp<true>);

}  // namespace
}  // namespace tfbuild
