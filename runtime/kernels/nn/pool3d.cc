// MaxPool3D and AvgPool3D over depth, rows and columns of volumes, and their gradients; padding does
// not count.
#include <algorithm>
#include <limits>

#include "base/parallel.h"
#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/volume_dimensions.h"

namespace tfbuild {
namespace {

Status PoolShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const VolumeSliding sliding, ReadVolumeAttrs(*context, true));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, 5));
  ASSIGN_OR_RETURN(PartialShape output, InferVolumeShape(sliding, input, nullptr));
  context->set_output(0, std::move(output));
  return OkStatus();
}

Status AvgPoolGradShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  if (!shape.known_rank()) shape = PartialShape::UnknownOfRank(5);
  if (shape.rank() != 5) return InvalidArgument("orig_input_shape must have 5 numbers");
  context->set_output(0, std::move(shape));
  return OkStatus();
}

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
    .ShapeFunction(PoolShape);
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
    .ShapeFunction(PoolShape);
REGISTER_OP("AvgPool3DGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .TFBUILD_POOL3D_ATTRS()
    .Attr("T: {half, bfloat16, float, double}")
    .ShapeFunction(AvgPoolGradShape);

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
    ParallelFor(volumes_, kGrain / work + 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin * output_pixels_; i < end * output_pixels_; ++i) body(BoxOf(i));
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

// NaN is larger than every number, so that it reaches the result from wherever it is.
template <typename C>
bool IsLarger(C value, C best) {
  return value > best || (value != value && best == best);
}

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

// Each gradient goes to the first of the largest inputs of its window.
template <typename T, typename C>
void MaxPoolGrad(const VolumeWindows& windows, const T* in, const T* gradient, C* sums) {
  windows.ForEach([&](const VolumeWindows::Box& box) {
    for (int64_t c = 0; c < windows.channels(); ++c) {
      int64_t where = -1;
      windows.ForEachPixel(box, [&](int64_t pixel) {
        const C value = static_cast<C>(in[pixel + c]);
        if (where < 0 || IsLarger(value, static_cast<C>(in[where]))) where = pixel + c;
      });
      if (where >= 0) sums[where] += static_cast<C>(gradient[box.output + c]);
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

class Pool3DOpBase : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadVolumeAttrs(construction, true));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 protected:
  Status CheckPooled(const char* name, const Tensor& tensor, const VolumeDimensions& dims) const {
    if (tensor.shape() == dims.output_shape()) return OkStatus();
    return InvalidArgument(name, " has shape ", tensor.shape(), " but the pooled shape is ",
                           dims.output_shape());
  }
  // Calls add(sums) with room for sums of several gradients, in the type of the arithmetic and all 0.
  template <typename T, typename Add>
  Status SumInto(OpKernelContext* context, const Shape& shape, const Add& add) const {
    using C = ComputeTypeOf<T>;
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    Tensor sums = *output;
    if (!std::is_same_v<T, C>) {
      ASSIGN_OR_RETURN(sums, context->AllocateTemp(DTypeOf<C>::value, shape));
    }
    std::fill_n(sums.mutable_data<C>(), shape.num_elements(), C(0));
    add(sums.mutable_data<C>());
    if (!std::is_same_v<T, C>) {
      ConvertElements(sums.data<C>(), shape.num_elements(), output->mutable_data<T>());
    }
    return OkStatus();
  }

  VolumeSliding sliding_;
};

template <typename T, void (*kPool)(const VolumeWindows&, const T*, T*)>
class Pool3DOp final : public Pool3DOpBase {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const VolumeDimensions dims,
                     MakeVolumePoolDimensions(sliding_, input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    if (output->num_elements() == 0) return OkStatus();
    kPool(VolumeWindows(dims), input.data<T>(), output->mutable_data<T>());
    return OkStatus();
  }
};

template <typename T>
class MaxPool3DGradOp final : public Pool3DOpBase {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const VolumeDimensions dims,
                     MakeVolumePoolDimensions(sliding_, input.shape()));
    RETURN_IF_ERROR(CheckPooled("orig_output", context->input(1), dims));
    RETURN_IF_ERROR(CheckPooled("grad", gradient, dims));
    return SumInto<T>(context, input.shape(), [&](ComputeTypeOf<T>* sums) {
      if (gradient.num_elements() == 0) return;
      MaxPoolGrad(VolumeWindows(dims), input.data<T>(), gradient.data<T>(), sums);
    });
  }
};

template <typename T>
class AvgPool3DGradOp final : public Pool3DOpBase {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& gradient = context->input(1);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const VolumeDimensions dims, MakeVolumePoolDimensions(sliding_, shape));
    RETURN_IF_ERROR(CheckPooled("grad", gradient, dims));
    return SumInto<T>(context, shape, [&](ComputeTypeOf<T>* sums) {
      if (gradient.num_elements() == 0) return;
      AvgPoolGrad(VolumeWindows(dims), gradient.data<T>(), sums);
    });
  }
};

#define REGISTER_AVERAGE(T)                                                             \
  REGISTER_KERNEL(Kernel("AvgPool3D").OnCpu().Type<T>("T"), Pool3DOp<T, AvgPool<T>>);   \
  REGISTER_KERNEL(Kernel("AvgPool3DGrad").OnCpu().Type<T>("T"), AvgPool3DGradOp<T>);
TFBUILD_FLOATING_TYPES(REGISTER_AVERAGE)
#undef REGISTER_AVERAGE

#define REGISTER_MAXIMUM(T)                                                             \
  REGISTER_KERNEL(Kernel("MaxPool3D").OnCpu().Type<T>("T"), Pool3DOp<T, MaxPool<T>>);   \
  REGISTER_KERNEL(Kernel("MaxPool3DGrad").OnCpu().Type<T>("T").Type<T>("TInput"),       \
                  MaxPool3DGradOp<T>);
REGISTER_MAXIMUM(float)
REGISTER_MAXIMUM(Half)
REGISTER_MAXIMUM(BFloat16)
#undef REGISTER_MAXIMUM

}  // namespace
}  // namespace tfbuild
