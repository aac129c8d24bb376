// MaxPool and MaxPoolGrad over rows and columns.
#include <limits>

#include "kernels/nn/pool_loops.h"
#include "kernels/nn/pooling.h"

namespace tfbuild {
namespace {

REGISTER_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = DT_FLOAT")
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
    .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, half, "
          "uint16, uint32, uint64} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);

template <typename C>
constexpr C Lowest() {
  return std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                              : std::numeric_limits<C>::lowest();
}

// condition ? value : other, in bits: of choices that hang on each other, the compiler would make
// jumps and no vectors.
template <typename C>
TFBUILD_ALWAYS_INLINE C Choose(bool condition, C value, C other) {
  using Bits = std::conditional_t<
      sizeof(C) == 8, int64_t,
      std::conditional_t<sizeof(C) == 4, int32_t,
                         std::conditional_t<sizeof(C) == 2, int16_t, int8_t>>>;
  Bits bits, others;
  __builtin_memcpy(&bits, &value, sizeof(C));
  __builtin_memcpy(&others, &other, sizeof(C));
  others = static_cast<Bits>(others ^ ((bits ^ others) & -static_cast<Bits>(condition)));
  __builtin_memcpy(&other, &others, sizeof(C));
  return other;
}

template <typename T>
struct MaxPoolLoop {
  using C = ComputeTypeOf<T>;

  static TFBUILD_ALWAYS_INLINE void Window(const PoolWindows& windows,
                                           const PoolWindows::Place& place, const T* in, T* out) {
    const int64_t count = place.count;
    T* to = out + place.output;
    const auto fixed = [&](const auto& pixels) TFBUILD_INLINE_BODY {
#pragma GCC ivdep
      for (int64_t c = 0; c < count; ++c) {
        C best = static_cast<C>(in[pixels.at[0] + c]);
        for (int i = 1; i < pixels.kCount; ++i) {
          const C value = static_cast<C>(in[pixels.at[i] + c]);
          best = Choose(IsLarger(value, best), value, best);
        }
        to[c] = T(best);
      }
    };
    if (WithFixedPixels<2>(windows, place, fixed)) return;
    C best[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) best[c] = Lowest<C>();
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      const T* from = in + pixel;
      for (int64_t c = 0; c < count; ++c) {
        const C value = static_cast<C>(from[c]);
        best[c] = IsLarger(value, best[c]) ? value : best[c];
      }
    });
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

  static TFBUILD_ALWAYS_INLINE void Window(const PoolWindows& windows,
                                           const PoolWindows::Place& place, const T* in,
                                           const T* gradient, C* sums) {
    if (place.covered() == 0) return;
    const int64_t count = place.count;
    gradient += place.output;
    const auto fixed = [&](const auto& pixels) TFBUILD_INLINE_BODY {
#pragma GCC ivdep
      for (int64_t c = 0; c < count; ++c) {
        C best = static_cast<C>(in[pixels.at[0] + c]);
        bool larger[pixels.kCount] = {true};  // than all before
        for (int i = 1; i < pixels.kCount; ++i) {
          const C value = static_cast<C>(in[pixels.at[i] + c]);
          larger[i] = IsLarger(value, best);
          best = Choose(larger[i], value, best);
        }
        const C share = static_cast<C>(gradient[c]);
        bool later = false;  // is one that is larger
        for (int i = pixels.kCount - 1; i >= 0; --i) {
          C& to = sums[pixels.at[i] + c];
          const C given = Choose(larger[i] & !later, share, C(0));
          to = (kTiles ? C(0) : to) + given;
          later |= larger[i];
        }
      }
    };
    if (WithFixedPixels<2>(windows, place, fixed)) return;
    const int64_t first = place.input + windows.Pixel(place.row_begin, place.col_begin);
    C best[PoolWindows::kBlock];
    Number where[PoolWindows::kBlock];
    for (int64_t c = 0; c < count; ++c) best[c] = static_cast<C>(in[first + c]);
    for (int64_t c = 0; c < count; ++c) where[c] = 0;
    Number number = 0;  // of the pixel in the window
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
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
    for (int64_t c = 0; c < count; ++c) share[c] = static_cast<C>(gradient[c]);
    number = 0;
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
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
    PoolWindows(dims).ForEach<MaxPoolLoop<T>, T>(input.data<T>(), output->mutable_data<T>());
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
    return SumInto<T>(context, result, [&windows, in, from](ComputeTypeOf<T>* to) {
      if (windows.AreTiles()) return windows.ForEachInto<MaxPoolGradLoop<T, true>, T>(to, in, from);
      windows.ForEachInto<MaxPoolGradLoop<T, false>, T>(to, in, from);
    });
  }
};

#define REGISTER(T) REGISTER_KERNEL(Kernel("MaxPool").OnCpu().Type<T>("T"), MaxPoolOp<T>);
TFBUILD_COMMON_NUMBER_TYPES(REGISTER)
REGISTER(uint16_t)
#undef REGISTER
#define REGISTER(T) REGISTER_KERNEL(Kernel("MaxPoolGrad").OnCpu().Type<T>("T"), MaxPoolGradOp<T>);
TFBUILD_NUMBER_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
