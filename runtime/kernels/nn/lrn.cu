// LRN and LRNGrad on a GPU: a thread for each number looks at the channels near it. The gradient does
// so twice, as what a channel adds to its neighbours needs a norm of its own.
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/nn/lrn.h"

namespace tfbuild {
namespace {

struct DeviceLrn {
  DeviceLrn(const LrnSettings& settings, int64_t channels)
      : channels(channels),
        radius(settings.radius),
        bias(static_cast<float>(settings.bias)),
        alpha(static_cast<float>(settings.alpha)),
        beta(static_cast<float>(settings.beta)) {}

  // The sum of of(j) for all numbers j of the pixel of i whose channels are near.
  template <typename Of>
  __device__ float SumNear(int64_t i, const Of& of) const {
    int64_t channel = i;
    const int64_t first = channels.Split(&channel) * channels.size;
    const int64_t begin = channel > radius ? channel - radius : 0;
    const int64_t last = min(channels.size - 1, channel + radius);
    float sum = 0;
    for (int64_t c = begin; c <= last; ++c) sum += of(first + c);
    return sum;
  }
  template <typename T>
  __device__ float Norm(int64_t i, const T* x) const {
    return bias + alpha * SumNear(i, [x](int64_t j) { return Widen(x[j]) * Widen(x[j]); });
  }

  Divider channels;
  int64_t radius;
  float bias, alpha, beta;
};

template <typename T>
__global__ void NormaliseKernel(int64_t elements, DeviceLrn lrn, const T* x, T* y) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    y[i] = Narrow<T>::From(Widen(x[i]) * powf(lrn.Norm(i, x), -lrn.beta));
  }
}

// What each number of the gradient adds to its own channel and, by way of the norm, to all near it.
template <typename T>
__global__ void LrnAddendsKernel(int64_t elements, DeviceLrn lrn, const T* gradient, const T* x,
                                 const T* y, float* own, float* shared) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const float norm = lrn.Norm(i, x);
    own[i] = Widen(gradient[i]) * powf(norm, -lrn.beta);
    shared[i] = Widen(gradient[i]) * Widen(y[i]) / norm;
  }
}

template <typename T>
__global__ void LrnDifferenceKernel(int64_t elements, DeviceLrn lrn, const T* x, const float* own,
                                    const float* shared, T* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const float sum = lrn.SumNear(i, [shared](int64_t j) { return shared[j]; });
    out[i] = Narrow<T>::From(own[i] - 2 * lrn.alpha * lrn.beta * Widen(x[i]) * sum);
  }
}

template <typename T>
class CudaLrnOp final : public LrnKernel {
  Status Normalise(OpKernelContext* context, const Tensor& input, Tensor* output) const override {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = input.num_elements();
    return Launch(device, LoopOver(*device, elements), NormaliseKernel<T>, elements,
                  DeviceLrn(settings_, input.dim(3)), input.data<T>(), output->mutable_data<T>());
  }
};

template <typename T>
class CudaLrnGradOp final : public LrnGradKernel {
  Status Differentiate(OpKernelContext* context, const Tensor& gradient, const Tensor& image,
                       const Tensor& normalised, Tensor* output) const override {
    ASSIGN_OR_RETURN(Tensor own, context->AllocateTemp(DType::kFloat, image.shape()));
    ASSIGN_OR_RETURN(Tensor shared, context->AllocateTemp(DType::kFloat, image.shape()));
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = image.num_elements();
    const LaunchShape shape = LoopOver(*device, elements);
    const DeviceLrn lrn(settings_, image.dim(3));
    RETURN_IF_ERROR(Launch(device, shape, LrnAddendsKernel<T>, elements, lrn, gradient.data<T>(),
                           image.data<T>(), normalised.data<T>(), own.mutable_data<float>(),
                           shared.mutable_data<float>()));
    return Launch(device, shape, LrnDifferenceKernel<T>, elements, lrn, image.data<T>(),
                  own.data<float>(), shared.data<float>(), output->mutable_data<T>());
  }
};

#define REGISTER(T)                                                       \
  REGISTER_KERNEL(Kernel("LRN").OnGpu().Type<T>("T"), CudaLrnOp<T>);      \
  REGISTER_KERNEL(Kernel("LRNGrad").OnGpu().Type<T>("T"), CudaLrnGradOp<T>);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
