// MatchingFiles: the files whose paths match one of some patterns, sorted.
#include <set>

#include "graph/shape_context.h"
#include "io/matching_files.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("MatchingFiles")
    .Input("pattern: string")
    .Output("filenames: string")
    .Stateful()  // files come and go
    .ShapeFunction([](ShapeContext* context) {
      context->set_output(0, PartialShape({kUnknownDim}));
      return OkStatus();
    });

class MatchingFilesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& patterns = context->input(0);
    if (patterns.rank() > 1) {
      return InvalidArgument("Input patterns tensor must be scalar or vector, but had shape: ",
                             patterns.shape());
    }
    std::set<std::string> found;
    for (int64_t i = 0; i < patterns.num_elements(); ++i) {
      const std::string& pattern = patterns.data<std::string>()[i];
      const size_t wild = pattern.find_first_of(kWildcards);
      // What is found from here on is named so, as in TensorFlow.
      const bool from_here = wild != std::string::npos && pattern.rfind('/', wild) == std::string::npos;
      found.merge(MatchingFiles(pattern, from_here ? "./" : ""));
    }
    context->SetOutput(0, Tensor::Strings(Shape{static_cast<int64_t>(found.size())},
                                          {found.begin(), found.end()}));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

REGISTER_KERNEL(Kernel("MatchingFiles").OnCpu(), MatchingFilesOp);

}  // namespace
}  // namespace tfbuild
