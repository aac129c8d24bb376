// HistogramSummary: how the elements of a tensor are distributed.
#include <cmath>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/summary/histogram.h"
#include "kernels/summary/summary_value.h"

namespace tfbuild {
namespace {

REGISTER_OP("HistogramSummary")
    .Input("tag: string")
    .Input("values: T")
    .Output("summary: string")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64} = DT_FLOAT")
    .ShapeFunction(ScalarShape);

template <typename T>
class HistogramSummaryOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string tag, TagOf(*context));
    const Tensor& values = context->input(1);
    Histogram histogram;
    StopLook look;
    for (int64_t i = 0; i < values.num_elements(); ++i) {
      look.Turn();
      const double value = static_cast<double>(values.data<T>()[i]);
      if (!std::isfinite(value)) {
        return InvalidArgument(std::isnan(value) ? "Nan" : "Infinity", " in summary histogram for: ",
                               context->node().name());
      }
      histogram.Add(value);
    }
    WireWriter value;
    if (!tag.empty()) value.Bytes(kValueTag, tag);
    value.Bytes(kValueHistogram, histogram.Serialize());
    WireWriter summary;
    AddSummaryValue(&summary, &value);
    SetSummary(context, &summary);
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }
};

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("HistogramSummary").OnCpu().Type<T>("T"), HistogramSummaryOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
