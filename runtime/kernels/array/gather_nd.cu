// GatherNd and ScatterNd on a GPU. A slice whose coordinates lie outside is read as zeros, or left out;
// the step fails when the kernel has ended.
#include "kernels/framework/scattered_sum.cuh"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

constexpr int kMaxDepth = 8;

// Slices of `width` elements, named by `depth` coordinates each.
struct Slices {
  int depth = 0;
  int64_t dims[kMaxDepth];
  int64_t strides[kMaxDepth];
  int64_t count = 1;
  Divider width;

  // Where the slice that row i of `indices` names begins, or kNowhere.
  template <typename Index>
  __device__ int64_t Start(const Index* indices, int64_t i, const IndexCheck& check) const {
    int64_t start = 0;
#pragma unroll 1
    for (int k = 0; k < depth; ++k) {
      const int64_t at = static_cast<int64_t>(indices[i * depth + k]);
      if (at < 0 || at >= dims[k]) {
        check.Report(i, at, dims[k]);
        return kNowhere;
      }
      start += at * strides[k];
    }
    return start;
  }
};

// The slices of a tensor of shape `params`, and the shape of all of them together.
Result<Slices> MakeSlices(const Shape& indices, const Shape& params, Shape* together) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector, but their shape is ", indices);
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ", depth,
                           " vs. ", params.rank());
  }
  if (depth > kMaxDepth) {
    return Unimplemented("slices with more than ", kMaxDepth, " coordinates on a GPU");
  }
  Slices slices;
  slices.depth = static_cast<int>(depth);
  const std::vector<int64_t> strides = DenseStrides(params.dims());
  for (int k = 0; k < slices.depth; ++k) {
    slices.dims[k] = params.dim(k);
    slices.strides[k] = strides[static_cast<size_t>(k)];
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  for (const int64_t dim : dims) slices.count *= dim;
  int64_t width = 1;
  for (int k = slices.depth; k < params.rank(); ++k) width *= params.dim(k);
  slices.width = Divider(width);
  dims.insert(dims.end(), params.dims().begin() + depth, params.dims().end());
  ASSIGN_OR_RETURN(*together, Shape::Make(std::move(dims)));
  return slices;
}

template <typename E, typename Index>
__global__ void GatherNdKernel(int64_t elements, Slices slices, const E* params,
                               const Index* indices, IndexCheck check, E* out) {
  for (int64_t e = FirstIndex(); e < elements; e += IndexStep()) {
    int64_t column = e;
    const int64_t start = slices.Start(indices, slices.width.Split(&column), check);
    E element{};
    if (start != kNowhere) element = params[start + column];
    out[e] = element;
  }
}

// Where the elements of updates belong.
template <typename Index>
struct SlicePlaces {
  Slices slices;
  const Index* indices;
  IndexCheck check;

  __device__ int64_t operator()(int64_t element) const {
    const int64_t row = slices.width.Split(&element);
    const int64_t start = slices.Start(indices, row, check);
    return start == kNowhere ? kNowhere : start + element;
  }
};

class CudaNdOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    check_ = IndexCheck(construction, "indices");
    return OkStatus();
  }

 protected:
  IndexCheck check_;
};

template <typename Index>
class CudaGatherNdOp final : public CudaNdOp {
 public:
  Status Compute(OpKernelContext* context) override {
    Shape together;
    ASSIGN_OR_RETURN(const Slices slices, MakeSlices(context->input(1).shape(),
                                                     context->input(0).shape(), &together));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, together));
    if (output->num_elements() == 0) return OkStatus();
    if (context->input(0).num_elements() == 0) {
      return InvalidArgument("indices[0] does not index into shape ", context->input(0).shape());
    }
    switch (DTypeSize(output->dtype())) {
      case 1: return Run<uint8_t>(context, slices, output);
      case 2: return Run<uint16_t>(context, slices, output);
      case 4: return Run<uint32_t>(context, slices, output);
      case 8: return Run<uint64_t>(context, slices, output);
      default: return Run<uint4>(context, slices, output);
    }
  }

 private:
  template <typename E>
  Status Run(OpKernelContext* context, const Slices& slices, Tensor* output) const {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = output->num_elements();
    return Launch(device, LoopOver(*device, elements), GatherNdKernel<E, Index>, elements, slices,
                  context->input(0).data<E>(), context->input(1).data<Index>(), check_.In(*context),
                  output->mutable_data<E>());
  }
};

template <typename T, typename Index>
class CudaScatterNdOp final : public CudaNdOp {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& indices = context->input(0);
    const Tensor& updates = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape, ShapeFrom(context->input(2), "shape"));
    Shape together;
    ASSIGN_OR_RETURN(const Slices slices, MakeSlices(indices.shape(), shape, &together));
    if (updates.shape() != together) {
      return InvalidArgument("updates must have the shape ", together, " for indices of shape ",
                             indices.shape(), " and an output of shape ", shape, ", not ",
                             updates.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (output->num_elements() == 0) {
      if (updates.num_elements() == 0) return OkStatus();
      return InvalidArgument("indices[0] does not index into shape ", shape);
    }
    return SumScattered<T>(context, updates, slices.count,
                           SlicePlaces<Index>{slices, indices.data<Index>(), check_.In(*context)},
                           output);
  }
};

#define REGISTER_INDEX(Index) \
  REGISTER_KERNEL(Kernel("GatherNd").OnGpu().Type<Index>("Tindices"), CudaGatherNdOp<Index>);
REGISTER_INDEX(int32_t)
REGISTER_INDEX(int64_t)
#undef REGISTER_INDEX
#define REGISTER_ONE(T, Index)                                                              \
  REGISTER_KERNEL(                                                                          \
      Kernel("ScatterNd").OnGpu().Type<T>("T").Type<Index>("Tindices").HostMemory("shape"), \
      CudaScatterNdOp<T, Index>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
