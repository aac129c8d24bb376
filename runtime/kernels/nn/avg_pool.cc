// AvgPool and AvgPoolGrad over rows and columns; padding does not count.
#include "kernels/nn/pool_loops.h"
#include "kernels/nn/pooling.h"

namespace tfbuild {
namespace {

REGISTER_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(PoolShape<ImagePooling, Pooled::kAverage>);

REGISTER_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID'}")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(AverageGradientShape<ImagePooling>);

template <typename C>
TFBUILD_ALWAYS_INLINE C ShareOfOne(const PoolWindows::Place& place) {
  return C(1) / static_cast<C>(std::max<int64_t>(place.covered(), 1));
}

template <typename T>
struct AvgPoolLoop {
  using C = ComputeTypeOf<T>;

  static TFBUILD_ALWAYS_INLINE void Window(const PoolWindows& windows,
                                           const PoolWindows::Place& place, const T* in, T* out) {
    const int64_t count = place.count;
    const C factor = ShareOfOne<C>(place);
    T* to = out + place.output;
    const auto fixed = [&](const auto& pixels) TFBUILD_INLINE_BODY {
#pragma GCC ivdep
      for (int64_t c = 0; c < count; ++c) {
        C sum = 0;
        for (const int64_t pixel : pixels.at) sum += static_cast<C>(in[pixel + c]);
        to[c] = T(sum * factor);
      }
    };
    if (WithFixedPixels<2, 3>(windows, place, fixed)) return;
    C sum[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) sum[c] = 0;
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      const T* from = in + pixel;
      for (int64_t c = 0; c < count; ++c) sum[c] += static_cast<C>(from[c]);
    });
    for (int64_t c = 0; c < count; ++c) to[c] = T(sum[c] * factor);
  }
};

// Each gradient is shared by the inputs of its window. kTiles: nothing is there yet to be added to.
template <typename T, bool kTiles>
struct AvgPoolGradLoop {
  using C = ComputeTypeOf<T>;

  static TFBUILD_ALWAYS_INLINE void Window(const PoolWindows& windows,
                                           const PoolWindows::Place& place, const T* gradient,
                                           C* sums) {
    const int64_t count = place.count;
    const C factor = ShareOfOne<C>(place);
    C share[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) {
      share[c] = static_cast<C>(gradient[place.output + c]) * factor;
    }
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      C* to = sums + pixel;
      for (int64_t c = 0; c < count; ++c) to[c] = kTiles ? share[c] : to[c] + share[c];
    });
  }
};

template <typename T>
class AvgPoolOp final : public ForwardPoolOp<ImagePooling, Pooled::kAverage> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext*, const PoolDimensions& dims, const Tensor& input,
             Tensor* output) override {
    PoolWindows(dims).ForEach<AvgPoolLoop<T>, T>(input.data<T>(), output->mutable_data<T>());
    return OkStatus();
  }
};

template <typename T>
class AvgPoolGradOp final : public AverageGradientOp<ImagePooling> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext* context, const PoolDimensions& dims, const Tensor& gradient,
             Tensor* result) override {
    const PoolWindows windows(dims);
    const T* from = gradient.data<T>();
    return SumInto<T>(context, result, [&windows, from](ComputeTypeOf<T>* to) {
      if (windows.AreTiles()) return windows.ForEachInto<AvgPoolGradLoop<T, true>, T>(to, from);
      windows.ForEachInto<AvgPoolGradLoop<T, false>, T>(to, from);
    });
  }
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("AvgPool").OnCpu().Type<T>("T"), AvgPoolOp<T>); \
  REGISTER_KERNEL(Kernel("AvgPoolGrad").OnCpu().Type<T>("T"), AvgPoolGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
