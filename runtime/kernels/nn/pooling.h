#pragma once

// What poolings of images and of volumes do alike, on whichever device: they read their attributes,
// check the shapes they are given, ask for the result, and leave the rest to Run.

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "graph/shape_context.h"
#include "kernels/framework/convert.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/conv_dimensions.h"
#include "kernels/nn/volume_dimensions.h"

namespace tfbuild {

enum class Pooled { kMaximum, kAverage };

// The two kinds of tensors that are pooled, in the same words. Only maxima of images know explicit
// paddings.
struct ImagePooling {
  static constexpr int kDims = 2;
  using Attrs = Sliding;
  using Dimensions = PoolDimensions;
  template <typename Source>
  static Result<Sliding> Read(const Source& source, Pooled pooled) {
    return ReadPoolAttrs(source, pooled == Pooled::kMaximum);
  }
  static Result<Dimensions> Make(const Sliding& sliding, const Shape& input) {
    return MakePoolDimensions(sliding, input);
  }
  static Result<PartialShape> Infer(const Sliding& sliding, const PartialShape& input) {
    return InferPoolShape(sliding, input);
  }
  static std::array<Window, 2> Windows(const Dimensions& dims) { return {dims.rows, dims.cols}; }
  static bool ChannelsLast(const Dimensions& dims) { return dims.format == DataFormat::kNHWC; }
  static int64_t Channels(const Dimensions& dims) { return dims.channels; }
};
struct VolumePooling {
  static constexpr int kDims = 3;
  using Attrs = VolumeSliding;
  using Dimensions = VolumeDimensions;
  template <typename Source>
  static Result<VolumeSliding> Read(const Source& source, Pooled) {
    return ReadVolumeAttrs(source, true);
  }
  static Result<Dimensions> Make(const VolumeSliding& sliding, const Shape& input) {
    return MakeVolumePoolDimensions(sliding, input);
  }
  static Result<PartialShape> Infer(const VolumeSliding& sliding, const PartialShape& input) {
    return InferVolumeShape(sliding, input, nullptr);
  }
  static std::array<Window, 3> Windows(const Dimensions& dims) { return dims.windows; }
  static bool ChannelsLast(const Dimensions& dims) { return dims.channels_last; }
  static int64_t Channels(const Dimensions& dims) { return dims.in_channels; }
};

// `Of` is one of them.
template <typename Of, Pooled pooled>
Status PoolShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const typename Of::Attrs sliding, Of::Read(*context, pooled));
  ASSIGN_OR_RETURN(const PartialShape input, context->WithRank(0, Of::kDims + 2));
  ASSIGN_OR_RETURN(PartialShape output, Of::Infer(sliding, input));
  context->set_output(0, std::move(output));
  return OkStatus();
}

// The shape that the first input holds as a value.
template <typename Of>
Status AverageGradientShape(ShapeContext* context) {
  constexpr int kRank = Of::kDims + 2;
  ASSIGN_OR_RETURN(PartialShape shape, context->input_as_shape(0));
  if (!shape.known_rank()) shape = PartialShape::UnknownOfRank(kRank);
  if (shape.rank() != kRank) {
    return InvalidArgument("orig_input_shape must have ", kRank, " numbers");
  }
  context->set_output(0, std::move(shape));
  return OkStatus();
}

template <typename Of, Pooled pooled>
class PoolingOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, Of::Read(construction, pooled));
    return OkStatus();
  }

 protected:
  using Dimensions = typename Of::Dimensions;

  Result<Dimensions> MakeDimensions(const Shape& input) const { return Of::Make(sliding_, input); }
  static Status CheckPooled(const char* name, const Tensor& tensor, const Dimensions& dims) {
    if (tensor.shape() == dims.output_shape()) return OkStatus();
    return InvalidArgument(name, " has shape ", tensor.shape(), " but the pooled shape is ",
                           dims.output_shape());
  }

 private:
  typename Of::Attrs sliding_;
};

template <typename Of, Pooled pooled>
class ForwardPoolOp : public PoolingOp<Of, pooled> {
 public:
  using typename PoolingOp<Of, pooled>::Dimensions;

  Status Compute(OpKernelContext* context) final {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Dimensions dims, this->MakeDimensions(input.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    return output->num_elements() == 0 ? OkStatus() : Run(context, dims, input, output);
  }

 protected:
  virtual Status Run(OpKernelContext* context, const Dimensions& dims, const Tensor& input,
                     Tensor* output) = 0;
};

// Inputs: the pooling's input, its output, and the gradient of that.
template <typename Of>
class MaximumGradientOp : public PoolingOp<Of, Pooled::kMaximum> {
 public:
  using typename PoolingOp<Of, Pooled::kMaximum>::Dimensions;

  Status Compute(OpKernelContext* context) final {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const Dimensions dims, this->MakeDimensions(input.shape()));
    RETURN_IF_ERROR(this->CheckPooled("orig_output", context->input(1), dims));
    RETURN_IF_ERROR(this->CheckPooled("grad", context->input(2), dims));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, input.shape()));
    return result->num_elements() == 0 ? OkStatus() : Run(context, dims, result);
  }

 protected:
  virtual Status Run(OpKernelContext* context, const Dimensions& dims, Tensor* result) = 0;
};

// Inputs: the shape of the pooling's input, and the gradient of its output.
template <typename Of>
class AverageGradientOp : public PoolingOp<Of, Pooled::kAverage> {
 public:
  using typename PoolingOp<Of, Pooled::kAverage>::Dimensions;

  Status Compute(OpKernelContext* context) final {
    const Tensor& gradient = context->input(1);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(0).IntValues());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const Dimensions dims, this->MakeDimensions(shape));
    RETURN_IF_ERROR(this->CheckPooled("grad", gradient, dims));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, shape));
    return result->num_elements() == 0 ? OkStatus() : Run(context, dims, gradient, result);
  }

 protected:
  virtual Status Run(OpKernelContext* context, const Dimensions& dims, const Tensor& gradient,
                     Tensor* result) = 0;
};

// Calls add(sums), which writes as many sums of gradients as `result` has elements, in the type of the
// arithmetic; `result` gets them in its own. For tensors that the host can read.
template <typename T, typename Add>
Status SumInto(OpKernelContext* context, Tensor* result, const Add& add) {
  using C = ComputeTypeOf<T>;
  if constexpr (std::is_same_v<T, C>) {
    add(result->mutable_data<C>());
  } else {
    ASSIGN_OR_RETURN(Tensor sums, context->AllocateTemp(DTypeOf<C>::value, result->shape()));
    add(sums.mutable_data<C>());
    ConvertElements(sums.data<C>(), result->num_elements(), result->mutable_data<T>());
  }
  return OkStatus();
}

}  // namespace tfbuild
