#pragma once

// Pooling of images and of volumes with their gradients on a GPU. Each thread makes one element of the
// result, so nothing is added up in an order that could change.

#include "kernels/framework/cuda_group.cuh"
#include "kernels/nn/pooling.h"

namespace tfbuild {

// How the window of a pooling slides along one spatial dimension.
struct Slide {
  int64_t input;
  int64_t output;
  int64_t filter;
  Divider stride;
  int64_t pad;

  // The part of window `at` that lies on the input: [begin, end).
  __device__ int64_t Begin(int64_t at) const { return max(int64_t{0}, at * stride.size - pad); }
  __device__ int64_t End(int64_t at) const { return min(input, at * stride.size - pad + filter); }
  // The windows that cover place `at` of the input: [first, last].
  __device__ int64_t First(int64_t at) const {
    const int64_t beyond = at + pad - filter;
    return beyond < 0 ? 0 : stride.Quotient(beyond) + 1;
  }
  __device__ int64_t Last(int64_t at) const { return min(output - 1, stride.Quotient(at + pad)); }
};

template <int kDims>
struct Pool {
  Slide slides[kDims];  // outermost dimension first
  Divider inputs[kDims], outputs[kDims];
  Divider channels;  // 1 where channels are first: each is an image then
  int64_t input_pixels, output_pixels;
};

template <int kDims>
struct Place {
  int64_t image, channel;
  int64_t at[kDims];
};

template <int kDims>
__device__ inline Place<kDims> Locate(const Divider& channels, const Divider* sizes,
                                      int64_t index) {
  Place<kDims> place;
  place.channel = index;
  index = channels.Split(&place.channel);
#pragma unroll
  for (int axis = kDims - 1; axis >= 0; --axis) {
    place.at[axis] = index;
    index = sizes[axis].Split(&place.at[axis]);
  }
  place.image = index;
  return place;
}

// Where the first element of the place's channel is.
template <int kDims>
__device__ inline int64_t InputStart(const Pool<kDims>& pool, const Place<kDims>& place) {
  return place.image * pool.input_pixels * pool.channels.size + place.channel;
}
template <int kDims>
__device__ inline int64_t OutputStart(const Pool<kDims>& pool, const Place<kDims>& place) {
  return place.image * pool.output_pixels * pool.channels.size + place.channel;
}

// Calls body(offset from InputStart) for each input under the window at `at`, in order, until it
// returns false; whether none did. The last two arguments are the axes that are fixed already.
template <int kDims, typename Body, int kAxis = 0>
__device__ inline bool ForEachInput(const Pool<kDims>& pool, const int64_t* at, const Body& body,
                                    int64_t line = 0) {
  const int64_t end = pool.slides[kAxis].End(at[kAxis]);
  for (int64_t i = pool.slides[kAxis].Begin(at[kAxis]); i < end; ++i) {
    const int64_t pixel = line * pool.inputs[kAxis].size + i;
    bool goes_on;
    if constexpr (kAxis + 1 < kDims) {
      goes_on = ForEachInput<kDims, Body, kAxis + 1>(pool, at, body, pixel);
    } else {
      goes_on = body(pixel * pool.channels.size);
    }
    if (!goes_on) return false;
  }
  return true;
}

// Calls body(offset from OutputStart) for each window that covers the input at `at`, with where it is
// in `window`.
template <int kDims, typename Body, int kAxis = 0>
__device__ inline void ForEachWindow(const Pool<kDims>& pool, const int64_t* at, int64_t* window,
                                     const Body& body, int64_t line = 0) {
  const int64_t last = pool.slides[kAxis].Last(at[kAxis]);
  for (int64_t i = pool.slides[kAxis].First(at[kAxis]); i <= last; ++i) {
    window[kAxis] = i;
    const int64_t pixel = line * pool.outputs[kAxis].size + i;
    if constexpr (kAxis + 1 < kDims) {
      ForEachWindow<kDims, Body, kAxis + 1>(pool, at, window, body, pixel);
    } else {
      body(pixel * pool.channels.size);
    }
  }
}

template <int kDims>
__device__ inline int64_t SizeOf(const Pool<kDims>& pool, const int64_t* at) {
  int64_t size = 1;
#pragma unroll
  for (int axis = 0; axis < kDims; ++axis) {
    size *= pool.slides[axis].End(at[axis]) - pool.slides[axis].Begin(at[axis]);
  }
  return size;
}

template <typename T, int kDims, Pooled pooled>
__global__ void PoolKernel(Pool<kDims> pool, int64_t count, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  constexpr bool kAverage = pooled == Pooled::kAverage;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place<kDims> place = Locate<kDims>(pool.channels, pool.outputs, i);
    const T* image = in + InputStart(pool, place);
    C value = kAverage ? C(0) : MaximumOf::Identity<C>();
    ForEachInput(pool, place.at, [&](int64_t offset) {
      const C x = Widen(image[offset]);
      value = kAverage ? value + x : MaximumOf::Combine(value, x);
      return true;
    });
    if (kAverage) value /= static_cast<C>(SizeOf(pool, place.at));
    out[i] = Narrow<T>::From(value);
  }
}

// A gradient goes to the first input of its window that equals its maximum. NaN counts as equal to NaN.
template <typename T, int kDims>
__global__ void MaxPoolGradKernel(Pool<kDims> pool, int64_t count, const T* in, const T* out,
                                  const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  const auto same = [](C a, C b) { return a == b || (a != a && b != b); };
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place<kDims> place = Locate<kDims>(pool.channels, pool.inputs, i);
    const int64_t start = InputStart(pool, place);
    const int64_t output = OutputStart(pool, place);
    const C own = Widen(in[i]);
    C sum = 0;
    int64_t window[kDims];
    ForEachWindow(pool, place.at, window, [&](int64_t offset) {
      const C maximum = Widen(out[output + offset]);
      if (!same(own, maximum)) return;
      bool first = true;
      ForEachInput(pool, window, [&](int64_t before) {
        if (start + before == i) return false;
        first = !same(Widen(in[start + before]), maximum);
        return first;
      });
      if (first) sum += Widen(grad[output + offset]);
    });
    result[i] = Narrow<T>::From(sum);
  }
}

template <typename T, int kDims>
__global__ void AvgPoolGradKernel(Pool<kDims> pool, int64_t count, const T* grad, T* result) {
  using C = ComputeTypeOf<T>;
  for (int64_t i = FirstIndex(); i < count; i += IndexStep()) {
    const Place<kDims> place = Locate<kDims>(pool.channels, pool.inputs, i);
    const T* from = grad + OutputStart(pool, place);
    C sum = 0;
    int64_t window[kDims];
    ForEachWindow(pool, place.at, window, [&](int64_t offset) {
      sum += Widen(from[offset]) / static_cast<C>(SizeOf(pool, window));
    });
    result[i] = Narrow<T>::From(sum);
  }
}

// `dims` is never of an empty tensor here.
template <typename Of>
Pool<Of::kDims> MakePool(const typename Of::Dimensions& dims) {
  Pool<Of::kDims> pool{};
  pool.input_pixels = pool.output_pixels = 1;
  int axis = 0;
  for (const Window& window : Of::Windows(dims)) {
    pool.slides[axis] = {window.input, window.output, window.filter, Divider(window.stride),
                         window.pad_before};
    pool.inputs[axis] = Divider(window.input);
    pool.outputs[axis] = Divider(window.output);
    pool.input_pixels *= window.input;
    pool.output_pixels *= window.output;
    ++axis;
  }
  pool.channels = Divider(Of::ChannelsLast(dims) ? Of::Channels(dims) : 1);
  return pool;
}

template <typename T, typename Of, Pooled pooled>
class CudaForwardPoolOp final : public ForwardPoolOp<Of, pooled> {
  Status Run(OpKernelContext* context, const typename Of::Dimensions& dims, const Tensor& input,
             Tensor* output) override {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t count = output->num_elements();
    return Launch(device, LoopOver(*device, count), PoolKernel<T, Of::kDims, pooled>,
                  MakePool<Of>(dims), count, input.data<T>(), output->mutable_data<T>());
  }
};

template <typename T, typename Of>
class CudaMaximumGradientOp final : public MaximumGradientOp<Of> {
  Status Run(OpKernelContext* context, const typename Of::Dimensions& dims,
             Tensor* result) override {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t count = result->num_elements();
    return Launch(device, LoopOver(*device, count), MaxPoolGradKernel<T, Of::kDims>,
                  MakePool<Of>(dims), count, context->input(0).data<T>(),
                  context->input(1).data<T>(), context->input(2).data<T>(),
                  result->mutable_data<T>());
  }
};

template <typename T, typename Of>
class CudaAverageGradientOp final : public AverageGradientOp<Of> {
  Status Run(OpKernelContext* context, const typename Of::Dimensions& dims, const Tensor& gradient,
             Tensor* result) override {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t count = result->num_elements();
    return Launch(device, LoopOver(*device, count), AvgPoolGradKernel<T, Of::kDims>,
                  MakePool<Of>(dims), count, gradient.data<T>(), result->mutable_data<T>());
  }
};

}  // namespace tfbuild
