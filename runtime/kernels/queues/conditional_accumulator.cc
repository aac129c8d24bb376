// ConditionalAccumulator, of dense gradients, and the ops of all accumulators.
#include "graph/shape_context.h"
#include "kernels/queues/accumulator.h"
#include "kernels/queues/gradient_numbers.h"

namespace tfbuild {
namespace {

REGISTER_OP("ConditionalAccumulator")
    .Output("handle: Ref(string)").TFBUILD_ACCUMULATOR_ATTRS().ShapeFunction(UnknownShape);
REGISTER_OP("AccumulatorApplyGradient")
    .Input("handle: Ref(string)")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr("dtype: {half, bfloat16, float, double}")
    .ShapeFunction(NoOutputs);
REGISTER_OP("AccumulatorTakeGradient")
    .Input("handle: Ref(string)")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr("dtype: {half, bfloat16, float, double}")
    .ShapeFunction(UnknownShape);
REGISTER_OP("AccumulatorNumAccumulated")
    .Input("handle: Ref(string)").Output("num_accumulated: int32").ShapeFunction(ScalarShape);
REGISTER_OP("AccumulatorSetGlobalStep")
    .Input("handle: Ref(string)").Input("new_global_step: int64").ShapeFunction(NoOutputs);

// The same by a handle.
REGISTER_OP("ResourceConditionalAccumulator")
    .Output("handle: resource").TFBUILD_ACCUMULATOR_ATTRS().ShapeFunction(UnknownShape);
REGISTER_OP("ResourceAccumulatorApplyGradient")
    .Input("handle: resource")
    .Input("local_step: int64")
    .Input("gradient: dtype")
    .Attr("dtype: {half, bfloat16, float, double}")
    .ShapeFunction(NoOutputs);
REGISTER_OP("ResourceAccumulatorTakeGradient")
    .Input("handle: resource")
    .Input("num_required: int32")
    .Output("average: dtype")
    .Attr("dtype: {half, bfloat16, float, double}")
    .ShapeFunction(UnknownShape);
REGISTER_OP("ResourceAccumulatorNumAccumulated")
    .Input("handle: resource").Output("num_accumulated: int32").ShapeFunction(ScalarShape);
REGISTER_OP("ResourceAccumulatorSetGlobalStep")
    .Input("handle: resource").Input("new_global_step: int64").ShapeFunction(NoOutputs);

class DenseSum final : public GradientSum {
 public:
  explicit DenseSum(const AccumulatorSpec& spec) : spec_(spec) {}
  std::vector<DType> types() const override { return {spec_.dtype}; }

  Status Add(const std::vector<Tensor>& gradient) override {
    const Tensor& added = gradient[0];
    if (added.dtype() != spec_.dtype) {
      return InvalidArgument("the accumulator is of ", DTypeName(spec_.dtype), ", not ",
                             DTypeName(added.dtype()));
    }
    if (!spec_.shape.CompatibleWith(PartialShape(added.shape())) ||
        (sum_.initialized() && sum_.shape() != added.shape())) {
      return InvalidArgument("Shape mismatch: expected ", sum_.initialized()
                                 ? PartialShape(sum_.shape()) : spec_.shape,
                             ", got ", added.shape());
    }
    if (sum_.initialized()) {
      AddNumbers(added, 0, added.num_elements(), &sum_, 0);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(sum_, CopyOf(added));
    return OkStatus();
  }

  Result<std::vector<Tensor>> Take(int64_t count) override {
    Tensor taken = std::move(sum_);
    sum_ = Tensor();
    if (spec_.averages) DivideNumbers(&taken, 0, taken.num_elements(), count);
    return std::vector<Tensor>{taken};
  }

 private:
  AccumulatorSpec spec_;
  Tensor sum_;
};

class AccumulatorCountOp final : public OnAccumulatorOp {
  void Run(const std::shared_ptr<Accumulator>& accumulator, OpKernelContext* context,
           Done done) override {
    context->SetOutput(0, Tensor::Scalar<int32_t>(accumulator->count()));
    done(OkStatus());
  }
};

class AccumulatorStepOp final : public OnAccumulatorOp {
  void Run(const std::shared_ptr<Accumulator>& accumulator, OpKernelContext* context,
           Done done) override {
    const Tensor& step = context->input(1);
    if (step.rank() != 0) return done(InvalidArgument("new_global_step must be a scalar"));
    accumulator->SetGlobalStep(*step.data<int64_t>(), std::move(done));
  }
};

#define REGISTER(prefix)                                                                         \
  REGISTER_KERNEL(Kernel(prefix "ConditionalAccumulator").OnCpu(), AccumulatorOp<DenseSum>);     \
  REGISTER_KERNEL(Kernel(prefix "AccumulatorApplyGradient").OnCpu(), ApplyGradientOp);           \
  REGISTER_KERNEL(Kernel(prefix "AccumulatorTakeGradient").OnCpu(), TakeGradientOp);             \
  REGISTER_KERNEL(Kernel(prefix "AccumulatorNumAccumulated").OnCpu(), AccumulatorCountOp);       \
  REGISTER_KERNEL(Kernel(prefix "AccumulatorSetGlobalStep").OnCpu(), AccumulatorStepOp);
REGISTER("")
REGISTER("Resource")
#undef REGISTER

}  // namespace
}  // namespace tfbuild
