// MirrorPad and MirrorPadGrad: a border in which the tensor is mirrored. REFLECT leaves the outermost
// element out, SYMMETRIC repeats it.
#include <algorithm>
#include <string>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

constexpr int kMaxMirroredRank = 8;  // 3^8 blocks

// The 2 * rank sizes of the borders, as far as a tensor of those dimensions has so much to mirror.
Result<std::vector<int64_t>> BordersFrom(const Tensor& paddings, int rank) {
  if (paddings.rank() != 2 || paddings.dim(0) != rank || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must have shape [", rank, ",2] for a tensor of rank ", rank,
                           ", not ", paddings.shape());
  }
  if (rank > kMaxMirroredRank) {
    return InvalidArgument("inputs of more than ", kMaxMirroredRank,
                           " dimensions cannot be mirrored, not one of ", rank);
  }
  ASSIGN_OR_RETURN(const Tensor flat, paddings.Reshaped(Shape{2 * rank}));
  ASSIGN_OR_RETURN(std::vector<int64_t> values, IntsFrom(flat));
  for (const int64_t value : values) {
    if (value < 0) return InvalidArgument("paddings must be non-negative, not ", value);
    if (value > kMaxElements) return InvalidArgument("padding ", value, " is too large");
  }
  return values;
}

// Whether a dimension of `size` elements can be mirrored by both of its borders.
Status CheckBorders(const int64_t* border, int64_t size, int64_t left_out, size_t axis) {
  for (int side = 0; side < 2; ++side) {
    if (border[side] <= std::max<int64_t>(size - left_out, 0)) continue;
    return InvalidArgument("paddings must be no greater than the dimension size",
                           left_out == 1 ? " less one" : "", ": ", border[0], ", ", border[1],
                           " greater than ", size, " of dimension ", axis);
  }
  return OkStatus();
}

Result<int64_t> LeftOut(const std::string& mode) {
  if (mode == "REFLECT") return int64_t{1};
  if (mode == "SYMMETRIC") return int64_t{0};
  return InvalidArgument("mode must be REFLECT or SYMMETRIC, not ", mode);
}

// The shape with borders added (direction 1) or taken away (direction -1).
Status ShapeWithBorders(ShapeContext* context, int direction) {
  RETURN_IF_ERROR(context->WithRank(1, 2).status());
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) {
    const PartialShape& shape = context->input(1);
    const bool known = shape.known_rank() && shape.dim(0) >= 0 && shape.dim(0) <= kMaxRank;
    if (known) context->set_output(0, PartialShape::UnknownOfRank(static_cast<int>(shape.dim(0))));
    return OkStatus();
  }
  std::vector<int64_t> dims(static_cast<size_t>(input.rank()), kUnknownDim);
  if (const Tensor* paddings = context->input_tensor(1)) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> borders, BordersFrom(*paddings, input.rank()));
    for (size_t k = 0; k < dims.size(); ++k) {
      const int64_t dim = input.dim(static_cast<int>(k));
      if (dim == kUnknownDim) continue;
      dims[k] = dim + direction * (borders[2 * k] + borders[2 * k + 1]);
      if (dims[k] < 0) return InvalidArgument("the borders are wider than dimension ", k);
    }
  }
  context->set_output(0, PartialShape(std::move(dims)));
  return OkStatus();
}

REGISTER_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .ShapeFunction([](ShapeContext* context) { return ShapeWithBorders(context, 1); });

REGISTER_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .ShapeFunction([](ShapeContext* context) { return ShapeWithBorders(context, -1); });

// Calls visit(copy) for each block of the padded tensor: what lies before, in and after the inner
// tensor along each dimension. The copies go from the inner tensor to the padded one.
template <typename Visit>
Status ForEachBlock(const std::vector<int64_t>& inner, const std::vector<int64_t>& borders,
                    int64_t left_out, Visit visit) {
  std::vector<int64_t> padded = inner;
  size_t blocks = 1;
  for (size_t k = 0; k < inner.size(); ++k) {
    RETURN_IF_ERROR(CheckBorders(&borders[2 * k], inner[k], left_out, k));
    padded[k] += borders[2 * k] + borders[2 * k + 1];
    blocks *= 3;
  }
  const std::vector<int64_t> from = DenseStrides(inner), to = DenseStrides(padded);
  for (size_t block = 0; block < blocks; ++block) {
    StridedCopy copy;
    size_t rest = block;
    for (size_t k = 0; k < inner.size(); ++k, rest /= 3) {
      const int64_t before = borders[2 * k], after = borders[2 * k + 1];
      if (rest % 3 == 0) {
        copy.AddDim(inner[k], from[k], to[k]);
        copy.to += before * to[k];
      } else if (rest % 3 == 1) {
        copy.AddDim(before, -from[k], to[k]);
        copy.from += (before - 1 + left_out) * from[k];
      } else {
        copy.AddDim(after, -from[k], to[k]);
        copy.from += (inner[k] - 1 - left_out) * from[k];
        copy.to += (before + inner[k]) * to[k];
      }
    }
    if (copy.num_elements() > 0) RETURN_IF_ERROR(visit(copy));
  }
  return OkStatus();
}

class MirrorKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string mode, construction.Attr<std::string>("mode"));
    ASSIGN_OR_RETURN(left_out_, LeftOut(mode));
    return OkStatus();
  }

 protected:
  int64_t left_out_ = 0;
};

class MirrorPadOp final : public MirrorKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> borders,
                     BordersFrom(context->input(1), input.rank()));
    const std::vector<int64_t>& inner = input.shape().dims();
    std::vector<int64_t> dims = inner;
    for (size_t k = 0; k < dims.size(); ++k) dims[k] += borders[2 * k] + borders[2 * k + 1];
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    return ForEachBlock(inner, borders, left_out_, [&](const StridedCopy& copy) {
      return RunStridedCopy(context, copy, input, output);
    });
  }
};

// to[...] += from[...] for the elements of a copy that goes the other way.
template <typename T>
void AddBack(const StridedCopy& copy, size_t axis, const T* from, T* to) {
  using C = ComputeTypeOf<T>;
  if (axis == copy.dims.size()) {
    *to = T(static_cast<C>(*to) + static_cast<C>(*from));
    return;
  }
  for (int64_t i = 0; i < copy.dims[axis]; ++i) {
    AddBack(copy, axis + 1, from + i * copy.to_strides[axis], to + i * copy.from_strides[axis]);
  }
}

template <typename T>
class MirrorPadGradOp final : public MirrorKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> borders,
                     BordersFrom(context->input(1), input.rank()));
    std::vector<int64_t> inner = input.shape().dims();
    for (size_t k = 0; k < inner.size(); ++k) {
      inner[k] -= borders[2 * k] + borders[2 * k + 1];
      if (inner[k] < 0) return InvalidArgument("the borders are wider than dimension ", k);
    }
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(inner));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    RETURN_IF_ERROR(RunZero(context, output));
    return ForEachBlock(inner, borders, left_out_, [&](const StridedCopy& copy) {
      AddBack(copy, 0, input.data<T>() + copy.to, output->mutable_data<T>() + copy.from);
      return OkStatus();
    });
  }
};

REGISTER_KERNEL(Kernel("MirrorPad").OnCpu(), MirrorPadOp);
REGISTER_KERNEL(Kernel("MirrorPad").OnGpu().HostMemory("paddings"), MirrorPadOp);
#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("MirrorPadGrad").OnCpu().Type<T>("T"), MirrorPadGradOp<SignedOf<T>>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
