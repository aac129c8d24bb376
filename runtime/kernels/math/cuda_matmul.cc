// MatMul, _FusedMatMul and BatchMatMulV2 on a GPU.
#include "kernels/framework/cuda_context.cuh"
#include "kernels/framework/cuda_gemm.cuh"

namespace tfbuild {
namespace {

// How many matrices from `first` on lie at even distances for both operands.
size_t RunLength(const std::vector<int64_t>& a, const std::vector<int64_t>& b, size_t first) {
  size_t end = first + 1;
  if (end < a.size() && (a[end] < a[first] || b[end] < b[first])) return 1;  // never backwards
  while (end < a.size() && a[end] - a[end - 1] == a[first + 1] - a[first] &&
         b[end] - b[end - 1] == b[first + 1] - b[first]) {
    ++end;
  }
  return end - first;
}

Status RunProducts(OpKernelContext* context, const MatMulSizes& sizes, const Tensor& a,
                   const Tensor& b, Tensor* c) {
  const std::vector<int64_t> from_a = BatchIndices(sizes.a_batch, sizes.c_batch);
  const std::vector<int64_t> from_b = BatchIndices(sizes.b_batch, sizes.c_batch);
  const int64_t element = DTypeSize(a.dtype());
  const int64_t a_size = sizes.m * sizes.k;
  const int64_t b_size = sizes.k * sizes.n;
  const int64_t c_size = sizes.m * sizes.n;
  Gemm gemm{sizes.m, sizes.k, sizes.n, sizes.transpose_a, sizes.transpose_b};
  gemm.c_stride = c_size;
  for (size_t first = 0; first < from_a.size(); first += static_cast<size_t>(gemm.batches)) {
    const size_t run = RunLength(from_a, from_b, first);
    gemm.batches = static_cast<int64_t>(run);
    gemm.a_stride = run > 1 ? (from_a[first + 1] - from_a[first]) * a_size : 0;
    gemm.b_stride = run > 1 ? (from_b[first + 1] - from_b[first]) * b_size : 0;
    RETURN_IF_ERROR(RunCudaGemm(
        CudaDeviceOf(context), a.dtype(), gemm,
        a.data<char>() + from_a[first] * a_size * element,
        b.data<char>() + from_b[first] * b_size * element,
        c->mutable_data<char>() + static_cast<int64_t>(first) * c_size * element));
  }
  return OkStatus();
}

class CudaMatMulOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadTransposes(construction, "transpose_a", "transpose_b");
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const MatMulSizes sizes, Sizes(context));
    return Multiply(context, sizes);
  }

 protected:
  Status ReadTransposes(const OpKernelConstruction& construction, const char* a, const char* b) {
    ASSIGN_OR_RETURN(transpose_a_, construction.Attr<bool>(a));
    ASSIGN_OR_RETURN(transpose_b_, construction.Attr<bool>(b));
    return OkStatus();
  }

  Result<MatMulSizes> Sizes(OpKernelContext* context) const {
    const Tensor& a = context->input(0);
    const Tensor& b = context->input(1);
    if (a.rank() != 2 || b.rank() != 2) {
      return InvalidArgument("MatMul takes matrices, not ", a.shape(), " and ", b.shape());
    }
    return MakeMatMulSizes(a.shape(), b.shape(), transpose_a_, transpose_b_);
  }

  static Status Multiply(OpKernelContext* context, const MatMulSizes& sizes) {
    ASSIGN_OR_RETURN(Tensor * product, context->AllocateOutput(0, sizes.output_shape()));
    return RunProducts(context, sizes, context->input(0), context->input(1), product);
  }

  bool transpose_a_ = false;
  bool transpose_b_ = false;
};

class CudaBatchMatMulOp final : public CudaMatMulOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    return ReadTransposes(construction, "adj_x", "adj_y");
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const MatMulSizes sizes,
                     MakeMatMulSizes(context->input(0).shape(), context->input(1).shape(),
                                     transpose_a_, transpose_b_));
    return Multiply(context, sizes);
  }
};

class CudaFusedMatMulOp final : public CudaMatMulOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(epilogue_, ReadEpilogue(construction));
    return CudaMatMulOp::Init(construction);
  }

  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const MatMulSizes sizes, Sizes(context));
    ASSIGN_OR_RETURN(Tensor * product, context->AllocateOutput(0, sizes.output_shape()));
    ASSIGN_OR_RETURN(const EpilogueCall then,
                     EpilogueOf(context, epilogue_, product->shape(), product->rank() - 1));
    const Gemm gemm{sizes.m, sizes.k, sizes.n, sizes.transpose_a, sizes.transpose_b};
    return RunFusedGemm(context, gemm, context->input(0), context->input(1), then, product);
  }

 private:
  Epilogue epilogue_;
};

#define REGISTER(T)                                                         \
  REGISTER_KERNEL(Kernel("MatMul").OnGpu().Type<T>("T"), CudaMatMulOp);     \
  REGISTER_KERNEL(Kernel("BatchMatMulV2").OnGpu().Type<T>("T"), CudaBatchMatMulOp);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

#define REGISTER(T) \
  REGISTER_KERNEL(Kernel("_FusedMatMul").OnGpu().Type<T>("T"), CudaFusedMatMulOp);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
