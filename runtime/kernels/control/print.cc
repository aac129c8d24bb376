// Print and Assert: a tensor handed on while others are written to the standard error output, and
// the end of a step when a condition does not hold.
#include <atomic>
#include <cstdio>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/summarize.h"

namespace tfbuild {
namespace {

REGISTER_OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .Stateful()
    .ShapeFunction(UnchangedShape);

REGISTER_OP("Assert")
    .Input("condition: bool")
    .Input("data: T")
    .Attr("T: list(type) >= 1")
    .Attr("summarize: int = 3")
    .Stateful()
    .ShapeFunction(NoOutputs);

std::string TextOfInputs(const OpKernelContext& context, int64_t elements,
                         const std::string& between) {
  std::string text;
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (i > 1) text += between;
    text += StrCat("[", Summarize(context.input(i), elements), "]");
  }
  return text;
}

class PrintOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(message_, construction.Attr<std::string>("message"));
    ASSIGN_OR_RETURN(first_n_, construction.Attr<int64_t>("first_n"));
    ASSIGN_OR_RETURN(summarize_, construction.Attr<int64_t>("summarize"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, context->input(0));
    if (first_n_ >= 0 && calls_.fetch_add(1) >= first_n_) return OkStatus();
    const std::string line = StrCat(message_, TextOfInputs(*context, summarize_, ""), "\n");
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    return OkStatus();
  }

 private:
  std::string message_;
  int64_t first_n_ = -1;
  int64_t summarize_ = 3;
  std::atomic<int64_t> calls_{0};
};

class AssertOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(summarize_, construction.Attr<int64_t>("summarize"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& condition = context->input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: ", condition.shape());
    }
    if (*condition.data<bool>()) return OkStatus();
    return InvalidArgument("assertion failed: ", TextOfInputs(*context, summarize_, " "));
  }

 private:
  int64_t summarize_ = 3;
};

REGISTER_KERNEL(Kernel("Print").OnCpu(), PrintOp);
REGISTER_KERNEL(Kernel("Assert").OnCpu(), AssertOp);

}  // namespace
}  // namespace tfbuild
