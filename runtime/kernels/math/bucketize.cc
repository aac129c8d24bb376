// Bucketize: between which boundaries each number lies; UnravelIndex: coordinates of places.
#include <algorithm>

#include "base/stop.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

Status UnravelShape(ShapeContext* context) {
  const PartialShape& indices = context->input(0);
  ASSIGN_OR_RETURN(const PartialShape dims, context->WithRank(1, 1));
  if (!indices.known_rank()) return OkStatus();
  std::vector<int64_t> shape{dims.dim(0)};
  if (indices.rank() > 0) shape.push_back(indices.num_elements());
  context->set_output(0, PartialShape(std::move(shape)));
  return OkStatus();
}

REGISTER_OP("Bucketize")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: {int32, int64, float, double}")
    .Attr("boundaries: list(float)")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("UnravelIndex")
    .Input("indices: Tidx")
    .Input("dims: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .ShapeFunction(UnravelShape);

template <typename T>
class BucketizeOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(boundaries_, construction.Attr<std::vector<float>>("boundaries"));
    if (std::is_sorted(boundaries_.begin(), boundaries_.end())) return OkStatus();
    return InvalidArgument("Expected sorted boundaries");
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    constexpr int64_t kLook = 4096;  // elements between two looks whether to go on
    for (int64_t i = 0; i < input.num_elements(); ++i) {
      if (i % kLook == 0) ThrowIfStopped();
      const auto found =
          std::upper_bound(boundaries_.begin(), boundaries_.end(), input.data<T>()[i]);
      output->mutable_data<int32_t>()[i] = static_cast<int32_t>(found - boundaries_.begin());
    }
    return OkStatus();
  }

 private:
  std::vector<float> boundaries_;
};

template <typename Int>
class UnravelOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(0);
    if (indices.rank() > 1) {
      return InvalidArgument("The indices can only be scalar or vector, got ", indices.shape());
    }
    ASSIGN_OR_RETURN(const Shape dims, ShapeFrom(context->input(1), "dims"));
    ASSIGN_OR_RETURN(const std::vector<int64_t> places, IntsFrom(indices));
    const int64_t count = static_cast<int64_t>(places.size()), rank = dims.rank();
    const Shape shape = indices.rank() == 0 ? Shape{rank} : Shape{rank, count};
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = places[static_cast<size_t>(i)];
      if (rest < 0 || rest >= dims.num_elements()) {
        return InvalidArgument("index is out of bound as with dims: ", rest, " in ", dims);
      }
      for (int64_t k = rank - 1; k >= 0; --k) {
        output->mutable_data<Int>()[k * count + i] =
            static_cast<Int>(rest % dims.dim(static_cast<int>(k)));
        rest /= dims.dim(static_cast<int>(k));
      }
    }
    return OkStatus();
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("Bucketize").OnCpu().Type<T>("T"), BucketizeOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
REGISTER(float)
REGISTER(double)
#undef REGISTER
REGISTER_KERNEL(Kernel("UnravelIndex").OnCpu().Type<int32_t>("Tidx"), UnravelOp<int32_t>);
REGISTER_KERNEL(Kernel("UnravelIndex").OnCpu().Type<int64_t>("Tidx"), UnravelOp<int64_t>);

}  // namespace
}  // namespace tfbuild
