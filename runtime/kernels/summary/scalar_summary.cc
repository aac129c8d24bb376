// ScalarSummary: numbers with their tags.
#include "graph/shape_context.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("ScalarSummary")
    .Input("tags: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64}")
    .ShapeFunction(ScalarShape);

template <typename T>
class ScalarSummaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& tags = context->input(0);
    const Tensor& values = context->input(1);
    if (tags.shape() != values.shape()) {
      const std::string which = tags.num_elements() == 1
                                    ? StrCat(" (tag '", tags.data<std::string>()[0], "')")
                                    : std::string();
      return InvalidArgument("tags and values are not the same shape: ", tags.shape(),
                             " != ", values.shape(), which);
    }
    WireWriter summary;
    for (int64_t i = 0; i < tags.num_elements(); ++i) {
      WireWriter value;
      const std::string& tag = tags.data<std::string>()[i];
      if (!tag.empty()) value.Bytes(kValueTag, tag);
      value.Float(kValueSimple, static_cast<float>(values.data<T>()[i]));
      AddSummaryValue(&summary, &value);
    }
    SetSummary(context, &summary);
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("ScalarSummary").OnCpu().Type<T>("T"), ScalarSummaryOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
