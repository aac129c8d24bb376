// ExtractJpegShape: the size of a JPEG, by its header.
#include "graph/shape_context.h"
#include "io/jpeg.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

Status ThreeNumbers(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 0).status());
  context->set_output(0, {3});
  return OkStatus();
}

REGISTER_OP("ExtractJpegShape")
    .Input("contents: string")
    .Output("image_shape: output_type")
    .Attr("output_type: {int32, int64} = DT_INT32")
    .ShapeFunction(ThreeNumbers);

template <typename T>
class ExtractJpegShapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& contents = context->input(0);
    if (contents.rank() != 0) return InvalidArgument("contents must be scalar, got shape ", contents.shape());
    ASSIGN_OR_RETURN(const ImageSize size, JpegSize(*contents.data<std::string>()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, Shape{3}));
    T* out = output->mutable_data<T>();
    out[0] = static_cast<T>(size.height);
    out[1] = static_cast<T>(size.width);
    out[2] = static_cast<T>(size.channels);
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("ExtractJpegShape").OnCpu().Type<int32_t>("output_type"),
                ExtractJpegShapeOp<int32_t>);
REGISTER_KERNEL(Kernel("ExtractJpegShape").OnCpu().Type<int64_t>("output_type"),
                ExtractJpegShapeOp<int64_t>);

}  // namespace
}  // namespace tfbuild
