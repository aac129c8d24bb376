// What follows a product or a convolution, where the library has no call for both.
#include "kernels/framework/cuda_epilogue.cuh"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/functors.h"

namespace tfbuild {
namespace {

// As cuBLAS and TensorFlow's GeluApproximate have it: half of x (1 + tanh(...)).
__device__ inline float Gelu(float x) {
  const float inner = 0.7978845608028654f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + functor::Tanh::Apply(inner));
}

__device__ inline float Activate(Epilogue::Activation activation, float x) {
  if (activation == Epilogue::Activation::kRelu) return functor::Relu::Apply(x);
  return activation == Epilogue::Activation::kGelu ? Gelu(x) : x;
}

// Packs of channels that come last; N is 1 where an area comes behind them.
template <typename T, int N>
__global__ void EpilogueKernel(const T* bias, const T* residual, Epilogue::Activation activation,
                               Divider area, Divider channels, int64_t packs, T* out) {
  for (int64_t i = FirstIndex(); i < packs; i += IndexStep()) {
    int64_t channel = N == 1 ? area.Quotient(i) : i * N;
    channels.Split(&channel);
    Pack<T, N> value = LoadPack<N>(out + i * N);
    Pack<T, N> more{};
    Pack<T, N> rest{};
    if (bias != nullptr) more = LoadPack<N>(bias + channel);
    if (residual != nullptr) rest = LoadPack<N>(residual + i * N);
#pragma unroll
    for (int j = 0; j < N; ++j) {
      const float sum = Widen(value.at[j]) + Widen(more.at[j]) + Widen(rest.at[j]);
      value.at[j] = Narrow<T>::From(Activate(activation, sum));
    }
    StorePack(out + i * N, value);
  }
}

template <typename T>
Status Run(OpKernelContext* context, const EpilogueCall& call, Tensor* result) {
  constexpr int kN = kPackSize<T>;
  const T* bias = static_cast<const T*>(call.bias);
  const T* residual = static_cast<const T*>(call.residual);
  T* out = result->mutable_data<T>();
  const int64_t count = result->num_elements();
  const Divider area(call.area);
  const int64_t channels = call.channels;
  CudaDevice* device = CudaDeviceOf(context);
  const auto activation = call.what.activation;
  if (call.area == 1 && channels % kN == 0 && IsAligned<kN>(out) && IsAligned<kN>(bias) &&
      IsAligned<kN>(residual)) {
    return Launch(device, LoopOver(*device, count / kN), EpilogueKernel<T, kN>, bias, residual,
                  activation, area, Divider(channels), count / kN, out);
  }
  return Launch(device, LoopOver(*device, count), EpilogueKernel<T, 1>, bias, residual, activation,
                area, Divider(channels), count, out);
}

}  // namespace

Result<EpilogueCall> EpilogueOf(OpKernelContext* context, const Epilogue& epilogue,
                                const Shape& result, int channels_axis) {
  EpilogueCall call{epilogue};
  call.channels = result.dim(channels_axis);
  for (int k = channels_axis + 1; k < result.rank(); ++k) call.area *= result.dim(k);
  int next = 2;
  if (epilogue.bias) {
    const Tensor& bias = context->input(next++);
    if (!(bias.shape() == Shape{call.channels})) {
      return InvalidArgument("a bias of shape ", bias.shape(), " for a result of shape ", result);
    }
    call.bias = bias.raw();
  }
  if (epilogue.residual) {
    const Tensor& residual = context->input(next);
    if (residual.num_elements() != result.num_elements()) {
      return InvalidArgument("a tensor of shape ", residual.shape(), " is added to a result of shape ",
                             result);
    }
    call.residual = residual.raw();
  }
  return call;
}

Status RunEpilogue(OpKernelContext* context, const EpilogueCall& call, Tensor* result) {
  if (result->num_elements() == 0) return OkStatus();
  switch (result->dtype()) {
    case DType::kFloat: return Run<float>(context, call, result);
    case DType::kHalf: return Run<Half>(context, call, result);
    case DType::kBFloat16: return Run<BFloat16>(context, call, result);
    default: return Internal("no epilogue of ", DTypeName(result->dtype()), " on a GPU");
  }
}

}  // namespace tfbuild
