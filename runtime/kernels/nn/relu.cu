// Relu and ReluGrad on a GPU.
#include "kernels/framework/cuda_elementwise.cuh"

namespace tfbuild {
namespace {

struct Relu {
  template <typename T>
  static __device__ T Apply(T x) { return x < T(0) ? T(0) : x; }
};

struct ReluGrad {
  template <typename T>
  static __device__ T Apply(T gradient, T feature) { return feature > T(0) ? gradient : T(0); }
};

#define REGISTER(T)                                                                 \
  REGISTER_KERNEL(Kernel("Relu").OnGpu().Type<T>("T"), CudaUnaryOp<CudaUnary<Relu, T>>); \
  REGISTER_KERNEL(Kernel("ReluGrad").OnGpu().Type<T>("T"),                          \
                  CudaSameShapeOp<CudaBinary<ReluGrad, T>>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
