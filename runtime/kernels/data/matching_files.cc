// MatchingFiles: the names of files that fit patterns, in the order of names.
#include <glob.h>

#include <algorithm>

#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

Status VectorShape(ShapeContext* context) {
  context->set_output(0, PartialShape::UnknownOfRank(1));
  return OkStatus();
}

REGISTER_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .ShapeFunction(VectorShape);

class MatchingFilesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::vector<std::string> patterns, StringsAt(*context, 0, "pattern"));
    std::vector<std::string> names;
    for (const std::string& pattern : patterns) {
      glob_t found{};
      const int failed = glob(pattern.c_str(), 0, nullptr, &found);
      for (size_t i = 0; failed == 0 && i < found.gl_pathc; ++i) {
        names.emplace_back(found.gl_pathv[i]);
      }
      globfree(&found);
      if (failed == GLOB_NOSPACE) return ResourceExhausted("no memory for the names of files");
    }
    std::sort(names.begin(), names.end());
    const int64_t count = static_cast<int64_t>(names.size());
    context->SetOutput(0, Tensor::Strings({count}, std::move(names)));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("MatchingFiles").OnCpu(), MatchingFilesOp);

}  // namespace
}  // namespace tfbuild
