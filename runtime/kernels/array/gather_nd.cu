// GatherNd and ScatterNd on a GPU. A slice whose coordinates lie outside is read as zeros, or left out;
// the step fails when the kernel has ended, unless the node says that such coordinates are ignored.
#include "kernels/framework/cuda_slices.cuh"
#include "kernels/framework/scattered_sum.cuh"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {
namespace {

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

template <typename Index>
class CudaGatherNdOp final : public CudaNdSlicesKernel {
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
class CudaScatterNdOp final : public CudaNdSlicesKernel {
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
