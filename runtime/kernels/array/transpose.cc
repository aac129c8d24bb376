// Transpose: dimensions in another order; InvertPermutation, the order that undoes one.
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

// Ok when perm holds each of 0 ... rank-1 once; negative axes are made positive.
Status CheckPermutation(int rank, std::vector<int64_t>* perm) {
  if (static_cast<int>(perm->size()) != rank) {
    return InvalidArgument("perm has ", perm->size(), " elements, but the tensor has rank ", rank);
  }
  std::vector<bool> seen(perm->size(), false);
  for (int64_t& axis : *perm) {
    ASSIGN_OR_RETURN(axis, CanonicalAxis(axis, rank));
    if (seen[static_cast<size_t>(axis)]) {
      return InvalidArgument("axis ", axis, " appears twice in perm {", StrJoin(*perm, ","), "}");
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return OkStatus();
}

Status TransposeShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  ASSIGN_OR_RETURN(auto perm, KnownInts(*context, 1));
  const int64_t axes = context->input(1).num_elements();
  // As TensorFlow: one axis says nothing of a tensor that may be anything.
  if (!input.known_rank() && axes < 2) return OkStatus();
  if (axes > kMaxRank) return InvalidArgument("perm has ", axes, " axes; ", kMaxRank, " are the most");
  const int rank = axes == kUnknownDim ? input.rank() : static_cast<int>(axes);
  ASSIGN_OR_RETURN(const PartialShape known, context->WithRank(0, rank));
  PartialShape output = PartialShape::UnknownOfRank(rank);
  if (perm) {
    RETURN_IF_ERROR(CheckPermutation(rank, &*perm));
    std::vector<int64_t> dims;
    for (const int64_t axis : *perm) dims.push_back(known.dim(static_cast<int>(axis)));
    output = PartialShape(std::move(dims));
  }
  context->set_output(0, std::move(output));
  return OkStatus();
}

REGISTER_OP("Transpose")
    .Input("x: T")
    .Input("perm: Tperm")
    .Output("y: T")
    .Attr("T: type")
    .Attr("Tperm: {int32, int64} = DT_INT32")
    .ShapeFunction(TransposeShape);

REGISTER_OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .ShapeFunction(UnchangedShape);

class TransposeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    ASSIGN_OR_RETURN(std::vector<int64_t> perm, VectorFrom(context->input(1), "perm"));
    RETURN_IF_ERROR(CheckPermutation(x.rank(), &perm));
    const std::vector<int64_t> from_strides = DenseStrides(x.shape().dims());
    StridedCopy copy;
    for (const int64_t axis : perm) {
      copy.AddDim(x.dim(static_cast<int>(axis)), from_strides[static_cast<size_t>(axis)], 0);
    }
    copy.to_strides = DenseStrides(copy.dims);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(copy.dims));
    // With one dimension or none left that matters, the bytes stay where they are.
    if (copy.Collapsed().dims.size() == 1) {
      ASSIGN_OR_RETURN(Tensor same, x.Reshaped(shape));
      context->SetOutput(0, std::move(same));
      return OkStatus();
    }
    ASSIGN_OR_RETURN(Tensor * y, context->AllocateOutput(0, shape));
    return RunStridedCopy(context, copy, x, y);
  }
};

template <typename T>
class InvertPermutationOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> perm, VectorFrom(x, "x"));
    ASSIGN_OR_RETURN(Tensor * y, context->AllocateOutput(0, x.shape()));
    const int64_t count = x.num_elements();
    std::vector<bool> seen(perm.size(), false);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t target = perm[static_cast<size_t>(i)];
      if (target < 0 || target >= count) {
        return InvalidArgument(target, " is not between 0 and ", count);
      }
      if (seen[static_cast<size_t>(target)]) {
        return InvalidArgument(target, " is duplicated in the input.");
      }
      seen[static_cast<size_t>(target)] = true;
      y->mutable_data<T>()[target] = static_cast<T>(i);
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("Transpose").OnCpu(), TransposeOp);
REGISTER_KERNEL(Kernel("Transpose").OnGpu().HostMemory("perm"), TransposeOp);

#define REGISTER(T)                                                               \
  REGISTER_KERNEL(Kernel("InvertPermutation").OnCpu().Type<T>("T"),               \
                  InvertPermutationOp<T>);                                        \
  REGISTER_KERNEL(                                                                \
      Kernel("InvertPermutation").OnGpu().Type<T>("T").HostMemory("x").HostMemory("y"), \
      InvertPermutationOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
