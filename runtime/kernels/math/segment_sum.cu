// UnsortedSegmentSum on a GPU.
#include "kernels/math/segment_sum.h"

#include "kernels/framework/scattered_sum.cuh"

namespace tfbuild {
namespace {

// Where the elements of rows belong that have the number of their segment; nowhere where that is
// negative.
template <typename Index>
struct SegmentPlaces {
  Divider inner;
  int64_t segments;
  const Index* ids;
  IndexCheck check;

  __device__ int64_t operator()(int64_t element) const {
    const int64_t row = inner.Split(&element);
    const int64_t segment = static_cast<int64_t>(ids[row]);
    if (segment >= segments) check.Report(row, segment, segments);
    return segment < 0 || segment >= segments ? kNowhere : segment * inner.size + element;
  }
};

template <typename T, typename Index>
class CudaSegmentSumOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    check_ = IndexCheck(construction, "segment_ids");
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    const Tensor& ids = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape,
                     SegmentSumShape(data.shape(), ids.shape(), context->input(2)));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    const int64_t rows = ids.num_elements();
    const Divider inner(rows == 0 ? 1 : data.num_elements() / rows);
    return SumScattered<T>(context, data, rows,
                           SegmentPlaces<Index>{inner, shape.dim(0), ids.data<Index>(),
                                                check_.In(*context)},
                           output);
  }

 private:
  IndexCheck check_;
};

#define REGISTER_ONE(T, Index)                     \
  REGISTER_KERNEL(Kernel("UnsortedSegmentSum")     \
                      .OnGpu()                     \
                      .Type<T>("T")                \
                      .Type<Index>("Tindices")     \
                      .HostMemory("num_segments"), \
                  CudaSegmentSumOp<T, Index>);
#define REGISTER(T) REGISTER_ONE(T, int32_t) REGISTER_ONE(T, int64_t)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
