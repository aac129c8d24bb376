// MaxPool and MaxPoolGrad over rows and columns.
#include <limits>

#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/pool_loops.h"

namespace tfbuild {
namespace {

Status MaxPoolShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const Sliding sliding, ReadPoolAttrs(*context, true));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 4));
  ASSIGN_OR_RETURN(PartialShape output, InferPoolShape(sliding, input));
  context->set_output(0, std::move(output));
  return OkStatus();
}

REGISTER_OP("MaxPool")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8} = DT_FLOAT")
    .Attr("ksize: list(int) >= 4")
    .Attr("strides: list(int) >= 4")
    .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
    .Attr("explicit_paddings: list(int) = []")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .ShapeFunction(MaxPoolShape);

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
  return !(value <= best) & (best == best);
}

template <typename T>
struct MaxPoolLoop {
  using C = ComputeTypeOf<T>;

  template <int kVectorBytes>
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows, const PoolWindows::Place* row,
                                        const T* in, T* out) {
    windows->ForEachWindow(*row, [&](const PoolWindows::Place& place) TFBUILD_INLINE_BODY {
      ForEachVector<kVectorBytes / sizeof(C)>(
          place.count, [&](int64_t channel, auto lanes) TFBUILD_INLINE_BODY {
            constexpr int kLanes = lanes;
            C best[kLanes];
            for (int j = 0; j < kLanes; ++j) best[j] = Lowest<C>();
            ForEachPixel(*windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
              const T* from = in + pixel + channel;
#pragma omp simd
              for (int j = 0; j < kLanes; ++j) {
                const C value = static_cast<C>(from[j]);
                best[j] = IsLarger(value, best[j]) ? value : best[j];
              }
            });
            T* to = out + place.output + channel;
            for (int j = 0; j < kLanes; ++j) to[j] = T(best[j]);
          });
    });
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
  static TFBUILD_ALWAYS_INLINE void Run(const PoolWindows* windows, const PoolWindows::Place* row,
                                        const T* in, const T* gradient, C* sums) {
    windows->ForEachWindow(*row, [&](const PoolWindows::Place& place) TFBUILD_INLINE_BODY {
      if (place.covered() == 0) return;
      ForEachVector<kVectorBytes / sizeof(C)>(
          place.count, [&](int64_t channel, auto lanes) TFBUILD_INLINE_BODY {
            constexpr int kLanes = lanes;
            GiveShare<kLanes>(*windows, place, in + channel, gradient + place.output + channel,
                             sums + channel);
          });
    });
  }

 private:
  template <int kLanes>
  static TFBUILD_ALWAYS_INLINE void GiveShare(const PoolWindows& windows,
                                              const PoolWindows::Place& place, const T* in,
                                              const T* gradient, C* sums) {
    const T* first = in + place.input + windows.Pixel(place.row_begin, place.col_begin);
    C best[kLanes];
    Number where[kLanes];
    for (int j = 0; j < kLanes; ++j) best[j] = static_cast<C>(first[j]);
    for (int j = 0; j < kLanes; ++j) where[j] = 0;
    Number number = 0;  // of the pixel in the window
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      const T* from = in + pixel;
#pragma omp simd
      for (int j = 0; j < kLanes; ++j) {
        const C value = static_cast<C>(from[j]);
        const bool larger = IsLarger(value, best[j]);
        where[j] = larger ? number : where[j];
        best[j] = larger ? value : best[j];
      }
      ++number;
    });
    C share[kLanes];
    for (int j = 0; j < kLanes; ++j) share[j] = static_cast<C>(gradient[j]);
    number = 0;
    ForEachPixel(windows, place, [&](int64_t pixel) TFBUILD_INLINE_BODY {
      C* to = sums + pixel;
#pragma omp simd
      for (int j = 0; j < kLanes; ++j) {
        const C before = kTiles ? C(0) : to[j];
        to[j] = where[j] == number ? before + share[j] : before;
      }
      ++number;
    });
  }
};

template <typename T>
class MaxPoolOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, true));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    if (output->num_elements() == 0) return OkStatus();
    const PoolWindows windows(dims);
    const T* in = input.data<T>();
    T* out = output->mutable_data<T>();
    windows.ForEach([&windows, in, out](const PoolWindows::Place& place) {
      RunVectorised<MaxPoolLoop<T>, T>(&windows, &place, in, out);
    });
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  Sliding sliding_;
};

template <typename T>
class MaxPoolGradOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadPoolAttrs(construction, true));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const PoolDimensions dims, MakePoolDimensions(sliding_, input.shape()));
    for (const int i : {1, 2}) {
      if (context->input(i).shape() == dims.output_shape()) continue;
      return InvalidArgument(i == 1 ? "orig_output" : "grad", " has shape ",
                             context->input(i).shape(), " but the pooled shape is ",
                             dims.output_shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    // Sums of several gradients, in the type of the arithmetic.
    Tensor sums = *output;
    if (!std::is_same_v<T, C>) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, input.shape()));
    }
    const PoolWindows windows(dims);
    const T* in = input.data<T>();
    const T* from = gradient.data<T>();
    C* to = sums.mutable_data<C>();
    const bool tiles = windows.AreTiles();
    windows.ForEachInto(to, [&windows, tiles, in, from, to](const PoolWindows::Place& place) {
      if (tiles) return RunVectorised<MaxPoolGradLoop<T, true>, T>(&windows, &place, in, from, to);
      RunVectorised<MaxPoolGradLoop<T, false>, T>(&windows, &place, in, from, to);
    });
    if (!std::is_same_v<T, C>) {
      ConvertElements(sums.data<C>(), input.num_elements(), output->mutable_data<T>());
    }
    return OkStatus();
  }

  bool IsExpensive() const override { return true; }

 private:
  using C = ComputeTypeOf<T>;

  Sliding sliding_;
};

#define REGISTER(T)                                                      \
  REGISTER_KERNEL(Kernel("MaxPool").OnCpu().Type<T>("T"), MaxPoolOp<T>); \
  REGISTER_KERNEL(Kernel("MaxPoolGrad").OnCpu().Type<T>("T"), MaxPoolGradOp<T>);
TFBUILD_ARITHMETIC_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
