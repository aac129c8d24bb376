// TensorSummaryV2: a whole tensor, with a message that says how to show it.
#include "graph/shape_context.h"
#include "graph/tensor_proto.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("TensorSummaryV2")
    .Input("tag: string")
    .Input("tensor: T")
    .Input("serialized_summary_metadata: string")
    .Output("summary: string")
    .Attr("T: type")
    .ShapeFunction(ScalarShape);

class TensorSummaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string tag, TagOf(*context));
    const Tensor& metadata = context->input(2);
    if (metadata.rank() != 0) {
      return InvalidArgument("serialized_summary_metadata must be a scalar but its shape is ",
                             metadata.shape());
    }
    WireWriter value;
    if (!tag.empty()) value.Bytes(kValueTag, tag);
    value.Bytes(kValueTensor, SerializeTensor(context->input(1)));
    value.Bytes(kValueMetadata, metadata.data<std::string>()[0]);
    WireWriter summary;
    AddSummaryValue(&summary, &value);
    SetSummary(context, &summary);
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("TensorSummaryV2").OnCpu(), TensorSummaryOp);

}  // namespace
}  // namespace tfbuild
