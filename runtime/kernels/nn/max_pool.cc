// MaxPool and MaxPoolGrad over rows and columns.
#include <limits>

#include "kernels/nn/pool_loops.h"
#include "kernels/nn/pooling.h"

namespace tfbuild {
namespace {

REGISTER_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8} = DT_FLOAT")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .ShapeFunction(PoolShape<ImagePooling, Pooled::kMaximum>);

REGISTER_OP("MaxPoolGrad")
    .Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

template <typename C>
constexpr C Lowest() {
  return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                              : std::numeric_limits<C>::lowest();
}

// NaN is larger than every number, so that it reaches the result from wherever it is.
template <typename C>
TFBUILD_ALWAYS_INLINE bool IsLarger(C value, C best) {
  return (value > best) | ((value != value) & (best == best));
}

template <typename T>
struct MaxPoolLoop {
  using C = ComputeTypeOf<T>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows,
                                        const PoolWindows::Place* place, const T* in, T* out) {
    const int64_t count = place->count;
    C best[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) best[c] = Lowest<C>();
    ForEachPixel(*windows, *place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      const T* from = in + pixel;
      for (int64_t c = 0; c < count; ++c) {
        const C value = static_cast<C>(from[c]);
        best[c] = IsLarger(value, best[c]) ? value : best[c];
      }
    });
    T* to = out + place->output;
    for (int64_t c = 0; c < count; ++c) to[c] = T(best[c]);
  }
};

// Each gradient goes to the first of the largest inputs of its window. kTiles: nothing is there yet
// to be added to.
template <typename T, bool kTiles>
struct MaxPoolGradLoop {
  using C = ComputeTypeOf<T>;
  // As wide as C, so that both are as many to a vector.
  using Number = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows,
                                        const PoolWindows::Place* place, const T* in,
                                        const T* gradient, C* sums) {
    if (place->covered() == 0) return;
    const int64_t count = place->count;
    const int64_t first = place->input + windows->Pixel(place->row_begin, place->col_begin);
    C best[PoolWindows::kBlock];
    Number where[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) best[c] = static_cast<C>(in[first + c]);
    for (int64_t c = 0; c < count; ++c) where[c] = 0;
    Number number = 0;  // of the pixel in the window
    ForEachPixel(*windows, *place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      const T* from = in + pixel;
      for (int64_t c = 0; c < count; ++c) {
        const C value = static_cast<C>(from[c]);
        const bool larger = IsLarger(value, best[c]);
        where[c] = larger ? number : where[c];
        best[c] = larger ? value : best[c];
      }
      ++number;
    });
    C share[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) share[c] = static_cast<C>(gradient[place->output + c]);
    number = 0;
    ForEachPixel(*windows, *place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      C* to = sums + pixel;
      for (int64_t c = 0; c < count; ++c) {
        const C before = kTiles ? C(0) : to[c];
        to[c] = where[c] == number ? before + share[c] : before;
      }
      ++number;
    });
  }
};

template <typename T>
class MaxPoolOp final : public ForwardPoolOp<ImagePooling, Pooled::kMaximum> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext*, const PoolDimensions& dims, const Tensor& input,
             Tensor* output) override {
    const PoolWindows windows(dims);
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    windows.ForEach([&windows, in, out](const PoolWindows::Place& place) {
      RunVectorised<MaxPoolLoop<T>, T>(&windows, &place, in, out);
    });
    return OkStatus();
  }
};

template <typename T>
class MaxPoolGradOp final : public MaximumGradientOp<ImagePooling> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext* context, const PoolDimensions& dims, Tensor* result) override {
    const PoolWindows windows(dims);
    const T* in = context->input(0).data<T>();
    const T* from = context->input(2).data<T>();
    const bool tiles = windows.AreTiles();
    return SumInto<T>(context, result, [&windows, in, from, tiles](ComputeTypeOf<T>* to) {
      windows.ForEachInto(to, [&windows, tiles, in, from, to](const PoolWindows::Place& place) {
        if (tiles) {
          return RunVectorised<MaxPoolGradLoop<T, true>, T>(&windows, &place, in, from, to);
        }
        RunVectorised<MaxPoolGradLoop<T, false>, T>(&windows, &place, in, from, to);
      });
    });
  }
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("MaxPool").OnCpu().Type<T>("T"), MaxPoolOp<T>); \
  REGISTER_KERNEL(Kernel("MaxPoolGrad").OnCpu().Type<T>("T"), MaxPoolGradOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
