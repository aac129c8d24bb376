// MaxPool3D and AvgPool3D over depth, rows and columns of volumes, and their gradients; padding does
// not count.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "kernels/nn/pool_loops.h"
#include "kernels/nn/pooling.h"

namespace tfbuild {
namespace {

#define TFBUILD_POOL3D_ATTRS()             \
  Attr("ksize: list(int) >= 5")            \
      .Attr("strides: list(int) >= 5")     \
      .Attr("padding: {'SAME', 'VALID'}")  \
      .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")

REGISTER_OP("MaxPool3D")
    .Input("input: T")
    .Output("output: T")
    .TFBUILD_POOL3D_ATTRS()
    .Attr("T: {half, bfloat16, float}")
    .ShapeFunction(PoolShape<VolumePooling, Pooled::kMaximum>);
REGISTER_OP("MaxPool3DGrad")
    .Input("orig_input: TInput")
    .Input("orig_output: TInput")
    .Input("grad: T")
    .Output("output: T")
    .TFBUILD_POOL3D_ATTRS()
    .Attr("T: {half, bfloat16, float} = DT_FLOAT")
    .Attr("TInput: {half, bfloat16, float} = DT_FLOAT")
    .ShapeFunction(UnchangedShape);
REGISTER_OP("AvgPool3D")
    .Input("input: T")
    .Output("output: T")
    .TFBUILD_POOL3D_ATTRS()
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(PoolShape<VolumePooling, Pooled::kAverage>);
REGISTER_OP("AvgPool3DGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .TFBUILD_POOL3D_ATTRS()
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(AverageGradientShape<VolumePooling>);

// The windows of a pooling over volumes with channels last. Channels first are the same with as many
// volumes of one channel.
class VolumeWindows {
 public:
  explicit VolumeWindows(const VolumeDimensions& dims)
      : windows_(dims.windows), volumes_(dims.batch), channels_(dims.in_channels),
        input_pixels_(dims.input_pixels()), output_pixels_(dims.output_pixels()) {
    if (dims.channels_last) return;
    volumes_ *= channels_;
    channels_ = 1;
  }

  int64_t channels() const { return channels_; }

  // Calls body(window of the output, input pixels' ends) for each window, those of one volume in order
  // and different volumes in parallel.
  struct Box {
    int64_t input;   // of the volume's first element
    int64_t output;  // of the window's
    std::array<int64_t, 3> begin, end;

    int64_t covered() const {
      return (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
    }
  };
  template <typename Body>
  void ForEach(const Body& body) const {
    const int64_t work = std::max<int64_t>(1, (input_pixels_ + output_pixels_) * channels_);
    int64_t inputs = channels_;
    for (const Window& window : windows_) inputs *= std::min(window.filter, window.input);
    ParallelFor(volumes_, kGrain / work + 1, [&](int64_t begin, int64_t end) {
      PoolLook look(inputs);
      for (int64_t i = begin * output_pixels_; i < end * output_pixels_; ++i) {
        look.Window();
        body(BoxOf(i));
      }
    });
  }

  // Calls body(offset) for the first channel of each pixel in the box.
  template <typename Body>
  void ForEachPixel(const Box& box, const Body& body) const {
    for (int64_t z = box.begin[0]; z < box.end[0]; ++z) {
      for (int64_t y = box.begin[1]; y < box.end[1]; ++y) {
        const int64_t line = (z * windows_[1].input + y) * windows_[2].input;
        for (int64_t x = box.begin[2]; x < box.end[2]; ++x) {
          body(box.input + (line + x) * channels_);
        }
      }
    }
  }

 private:
  static constexpr int64_t kGrain = 16384;  // elements that are worth a thread

  Box BoxOf(int64_t pixel) const {
    Box box;
    box.output = pixel * channels_;
    for (size_t i = 3; i-- > 0;) {
      const Window& window = windows_[i];
      const int64_t first = pixel % window.output * window.stride - window.pad_before;
      pixel /= window.output;
      box.begin[i] = std::max<int64_t>(first, 0);
      box.end[i] = std::max(box.begin[i], std::min(first + window.filter, window.input));
    }
    box.input = pixel * input_pixels_ * channels_;
    return box;
  }

  std::array<Window, 3> windows_;
  int64_t volumes_, channels_, input_pixels_, output_pixels_;
};

template <typename T>
void MaxPool(const VolumeWindows& windows, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  windows.ForEach([&](const VolumeWindows::Box& box) {
    T* const to = out + box.output;
    const int64_t channels = windows.channels();
    std::fill_n(to, channels, T(-std::numeric_limits<C>::infinity()));
    windows.ForEachPixel(box, [&](int64_t pixel) {
      for (int64_t c = 0; c < channels; ++c) {
        if (IsLarger(static_cast<C>(in[pixel + c]), static_cast<C>(to[c]))) to[c] = in[pixel + c];
      }
    });
  });
}

template <typename T>
void AvgPool(const VolumeWindows& windows, const T* in, T* out) {
  using C = ComputeTypeOf<T>;
  windows.ForEach([&](const VolumeWindows::Box& box) {
    std::vector<C> sums(static_cast<size_t>(windows.channels()), C(0));
    windows.ForEachPixel(box, [&](int64_t pixel) {
      const T* from = in + pixel;
      for (C& sum : sums) sum += static_cast<C>(*from++);
    });
    const C share = C(1) / static_cast<C>(std::max<int64_t>(box.covered(), 1));
    T* to = out + box.output;
    for (const C sum : sums) *to++ = T(sum * share);
  });
}

// Each gradient goes to all of the largest inputs of its window, as TensorFlow has it on a CPU; among
// those that are no number to the first.
template <typename T, typename C>
void MaxPoolGrad(const VolumeWindows& windows, const T* in, const T* gradient, C* sums) {
  windows.ForEach([&](const VolumeWindows::Box& box) {
    for (int64_t c = 0; c < windows.channels(); ++c) {
      int64_t first = -1;
      windows.ForEachPixel(box, [&](int64_t pixel) {
        const C value = static_cast<C>(in[pixel + c]);
        if (first < 0 || IsLarger(value, static_cast<C>(in[first]))) first = pixel + c;
      });
      if (first < 0) continue;
      const C largest = static_cast<C>(in[first]), share = static_cast<C>(gradient[box.output + c]);
      windows.ForEachPixel(box, [&](int64_t pixel) {
        const int64_t i = pixel + c;
        if (i == first || static_cast<C>(in[i]) == largest) sums[i] += share;
      });
    }
  });
}

template <typename T, typename C>
void AvgPoolGrad(const VolumeWindows& windows, const T* gradient, C* sums) {
  windows.ForEach([&](const VolumeWindows::Box& box) {
    const C share = C(1) / static_cast<C>(std::max<int64_t>(box.covered(), 1));
    const T* const from = gradient + box.output;
    windows.ForEachPixel(box, [&](int64_t pixel) {
      for (int64_t c = 0; c < windows.channels(); ++c) {
        sums[pixel + c] += static_cast<C>(from[c]) * share;
      }
    });
  });
}

template <typename T, Pooled pooled>
class Pool3DOp final : public ForwardPoolOp<VolumePooling, pooled> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext*, const VolumeDimensions& dims, const Tensor& input,
             Tensor* output) override {
    const auto pool = pooled == Pooled::kMaximum ? MaxPool<T> : AvgPool<T>;
    pool(VolumeWindows(dims), input.data<T>(), output->mutable_data<T>());
    return OkStatus();
  }
};

// Calls add(sums) behind zeros, unless there is no gradient.
template <typename T, typename Add>
Status AddInto(OpKernelContext* context, const VolumeDimensions& dims, Tensor* result,
               const Add& add) {
  return SumInto<T>(context, result, [&](ComputeTypeOf<T>* sums) {
    ParallelFill(sums, result->num_elements(), ComputeTypeOf<T>(0));
    if (dims.output_shape().num_elements() > 0) add(sums);
  });
}

template <typename T>
class MaxPool3DGradOp final : public MaximumGradientOp<VolumePooling> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext* context, const VolumeDimensions& dims, Tensor* result) override {
    return AddInto<T>(context, dims, result, [&](ComputeTypeOf<T>* sums) {
      MaxPoolGrad(VolumeWindows(dims), context->input(0).data<T>(), context->input(2).data<T>(),
                  sums);
    });
  }
};

template <typename T>
class AvgPool3DGradOp final : public AverageGradientOp<VolumePooling> {
 public:
  bool IsExpensive() const override { return true; }

 private:
  Status Run(OpKernelContext* context, const VolumeDimensions& dims, const Tensor& gradient,
             Tensor* result) override {
    return AddInto<T>(context, dims, result, [&](ComputeTypeOf<T>* sums) {
      AvgPoolGrad(VolumeWindows(dims), gradient.data<T>(), sums);
    });
  }
};

#define REGISTER_AVERAGE(T)                                                             \
  REGISTER_KERNEL(Kernel("AvgPool3D").OnCpu().Type<T>("T"), Pool3DOp<T, Pooled::kAverage>); \
  REGISTER_KERNEL(Kernel("AvgPool3DGrad").OnCpu().Type<T>("T"), AvgPool3DGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER_AVERAGE)
#undef REGISTER_AVERAGE

#define REGISTER_MAXIMUM(T)                                                             \
  REGISTER_KERNEL(Kernel("MaxPool3D").OnCpu().Type<T>("T"), Pool3DOp<T, Pooled::kMaximum>);   \
  REGISTER_KERNEL(Kernel("MaxPool3DGrad").OnCpu().Type<T>("T").Type<T>("TInput"),       \
                  MaxPool3DGradOp<T>);
REGISTER_MAXIMUM(float)
REGISTER_MAXIMUM(Half)
REGISTER_MAXIMUM(BFloat16)
#undef REGISTER_MAXIMUM

}  // namespace
}  // namespace tfbuild
