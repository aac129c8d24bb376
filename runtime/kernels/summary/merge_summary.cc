// MergeSummary: all values of several summaries.
#include <set>

#include "graph/shape_context.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("MergeSummary")
    .Input("inputs: N * string")
    .Output("summary: string")
    .Attr("N: int >= 1")
    .ShapeFunction(ScalarShape);

Result<std::string> TagOfValue(std::string_view message) {
  std::string tag;
  WireReader value(message);
  while (!value.done()) {
    ASSIGN_OR_RETURN(const WireField field, value.Next());
    if (field.number == kValueTag) tag = field.bytes;
  }
  return tag;
}

class MergeSummaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    std::string merged;  // messages one after the other are one message with all that they hold
    std::set<std::string> tags;
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Tensor& input = context->input(i);
      for (int64_t j = 0; j < input.num_elements(); ++j) {
        const std::string& summary = input.data<std::string>()[j];
        const Status added = AddTags(summary, &tags);
        if (added.code() == Code::kDataLoss) {
          return InvalidArgument("Could not parse one of the summary inputs: ", added.message());
        }
        RETURN_IF_ERROR(added);
        merged += summary;
      }
    }
    context->SetOutput(0, Tensor::Strings(Shape{}, {std::move(merged)}));
    return OkStatus();
  }

 private:
  static Status AddTags(std::string_view message, std::set<std::string>* tags) {
    WireReader summary(message);
    while (!summary.done()) {
      ASSIGN_OR_RETURN(const WireField field, summary.Next());
      if (field.number != kSummaryValue) continue;
      ASSIGN_OR_RETURN(const std::string tag, TagOfValue(field.bytes));
      if (!tags->insert(tag).second) {
        return InvalidArgument("Duplicate tag ", tag, " found in summary inputs");
      }
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("MergeSummary").OnCpu(), MergeSummaryOp);

}  // namespace
}  // namespace tfbuild
