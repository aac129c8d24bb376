#include "kernels/nn/volume_convolution.h"

#include <algorithm>

#include "kernels/framework/strided_copy.h"

namespace tfbuild {
namespace {

MatMulSizes Product(int64_t m, int64_t k, int64_t n) {
  MatMulSizes sizes;
  sizes.m = m;
  sizes.k = k;
  sizes.n = n;
  return sizes;
}

// One convolution with channels last.
class VolumeRun {
 public:
  VolumeRun(OpKernelContext* context, VolumeSteps* steps, const VolumeDimensions& dims, DType dtype)
      : context_(context), steps_(steps), dims_(dims), dtype_(dtype),
        pixels_(dims.batch * dims.output_pixels()),
        width_(dims.places() * dims.in_channels),
        at_once_(std::clamp<int64_t>(steps->MostColumns() / width_, 1, pixels_)) {}

  Status Forward(const Tensor& input, const Tensor& filter, Tensor* output) {
    return ForEachPart([&](VolumeSteps::Pixels pixels, void* columns) -> Status {
      RETURN_IF_ERROR(steps_->TakeColumns(dims_, pixels, input.raw(), columns));
      return steps_->Multiply(Product(pixels.count, width_, dims_.out_channels), columns,
                              filter.raw(), OutputAt(*output, pixels));
    });
  }

  Status InputGradient(const Tensor& filter, const Tensor& gradient, Tensor* input) {
    RETURN_IF_ERROR(RunZero(context_, input));
    return ForEachPart([&](VolumeSteps::Pixels pixels, void* columns) -> Status {
      MatMulSizes sizes = Product(pixels.count, dims_.out_channels, width_);
      sizes.transpose_b = true;
      RETURN_IF_ERROR(steps_->Multiply(sizes, OutputAt(gradient, pixels), filter.raw(), columns));
      return steps_->AddColumns(dims_, pixels, columns, input->raw());
    });
  }

  Status FilterGradient(const Tensor& input, const Tensor& gradient, Tensor* filter) {
    RETURN_IF_ERROR(RunZero(context_, filter));
    ASSIGN_OR_RETURN(Tensor part, context_->AllocateTemp(dtype_, filter->shape()));
    return ForEachPart([&](VolumeSteps::Pixels pixels, void* columns) -> Status {
      RETURN_IF_ERROR(steps_->TakeColumns(dims_, pixels, input.raw(), columns));
      MatMulSizes sizes = Product(width_, pixels.count, dims_.out_channels);
      sizes.transpose_a = true;
      RETURN_IF_ERROR(
          steps_->Multiply(sizes, columns, OutputAt(gradient, pixels), part.raw()));
      return steps_->Add(part.raw(), filter->num_elements(), filter->raw());
    });
  }

 private:
  void* OutputAt(const Tensor& output, VolumeSteps::Pixels pixels) const {
    const int64_t bytes = pixels.first * dims_.out_channels * DTypeSize(dtype_);
    return static_cast<char*>(const_cast<void*>(output.raw())) + bytes;
  }
  template <typename Body>
  Status ForEachPart(const Body& body) {
    ASSIGN_OR_RETURN(Tensor columns, context_->AllocateTemp(dtype_, Shape{at_once_, width_}));
    for (int64_t first = 0; first < pixels_; first += at_once_) {
      RETURN_IF_ERROR(body({first, std::min(at_once_, pixels_ - first)}, columns.raw()));
    }
    return OkStatus();
  }

  OpKernelContext* context_;
  VolumeSteps* steps_;
  const VolumeDimensions& dims_;
  DType dtype_;
  int64_t pixels_, width_, at_once_;
};

// Copies volumes with their channels first to where these are last, or back.
Status TurnChannels(OpKernelContext* context, bool to_last, int64_t batch, int64_t pixels,
                    int64_t channels, const Tensor& from, Tensor* to) {
  StridedCopy copy;
  const int64_t size = pixels * channels;
  copy.AddDim(batch, size, size);
  if (to_last) {
    copy.AddDim(pixels, 1, channels);
    copy.AddDim(channels, pixels, 1);
  } else {
    copy.AddDim(channels, 1, pixels);
    copy.AddDim(pixels, channels, 1);
  }
  return RunStridedCopy(context, copy, from, to);
}

Status RunChannelsLast(OpKernelContext* context, VolumeSteps* steps, ConvPass pass,
                       const VolumeDimensions& dims, const Tensor& first, const Tensor& second,
                       Tensor* result) {
  VolumeRun run(context, steps, dims, result->dtype());
  switch (pass) {
    case ConvPass::kForward: return run.Forward(first, second, result);
    case ConvPass::kInput: return run.InputGradient(first, second, result);
    default: return run.FilterGradient(first, second, result);
  }
}

}  // namespace

Status RunVolumeConvolution(OpKernelContext* context, VolumeSteps* steps, ConvPass pass,
                            const VolumeDimensions& dims, const Tensor& first,
                            const Tensor& second, Tensor* result) {
  if (dims.channels_last) {
    return RunChannelsLast(context, steps, pass, dims, first, second, result);
  }
  VolumeDimensions last = dims;
  last.channels_last = true;
  const auto turned = [&](const Tensor& volumes, bool is_input) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor made, context->AllocateTemp(volumes.dtype(), volumes.shape()));
    RETURN_IF_ERROR(TurnChannels(context, true, dims.batch,
                                 is_input ? dims.input_pixels() : dims.output_pixels(),
                                 is_input ? dims.in_channels : dims.out_channels, volumes, &made));
    return made;
  };
  Tensor inputs[2] = {first, second};
  if (pass != ConvPass::kInput) {
    ASSIGN_OR_RETURN(inputs[0], turned(first, true));
  }
  if (pass != ConvPass::kForward) {
    ASSIGN_OR_RETURN(inputs[1], turned(second, false));
  }
  if (pass == ConvPass::kFilter) {
    return RunChannelsLast(context, steps, pass, last, inputs[0], inputs[1], result);
  }
  ASSIGN_OR_RETURN(Tensor made, context->AllocateTemp(result->dtype(), result->shape()));
  RETURN_IF_ERROR(RunChannelsLast(context, steps, pass, last, inputs[0], inputs[1], &made));
  const bool forward = pass == ConvPass::kForward;
  return TurnChannels(context, false, dims.batch,
                      forward ? dims.output_pixels() : dims.input_pixels(),
                      forward ? dims.out_channels : dims.in_channels, made, result);
}

Status VolumeConvolutionOp::Init(const OpKernelConstruction& construction) {
  ASSIGN_OR_RETURN(sliding_, ReadVolumeAttrs(construction, false));
  return OkStatus();
}

Status VolumeConvolutionOp::Compute(OpKernelContext* context) {
  const Tensor& last = context->input(context->num_inputs() - 1);
  if (pass_ == ConvPass::kForward) {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const VolumeDimensions dims,
                     MakeVolumeDimensions(sliding_, input.shape(), last.shape()));
    return Make(context, dims, dims.output_shape(), input, last);
  }
  const bool by_input = pass_ == ConvPass::kInput;
  ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(by_input ? 0 : 1).IntValues());
  ASSIGN_OR_RETURN(const Shape made, Shape::Make(std::move(sizes)));
  const Tensor& given = context->input(by_input ? 1 : 0);
  ASSIGN_OR_RETURN(const VolumeDimensions dims,
                   by_input ? MakeVolumeGradDimensions(sliding_, made, given.shape(), last.shape())
                            : MakeVolumeGradDimensions(sliding_, given.shape(), made, last.shape()));
  return Make(context, dims, made, given, last);
}

Status VolumeConvolutionOp::Make(OpKernelContext* context, const VolumeDimensions& dims,
                                 const Shape& shape, const Tensor& first, const Tensor& second) {
  ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, shape));
  if (result->num_elements() == 0) return OkStatus();
  // Sums over nothing.
  if (first.num_elements() == 0 || second.num_elements() == 0) return RunZero(context, result);
  return Run(context, dims, first, second, result);
}

}  // namespace tfbuild
