// Conv2D, its depthwise form and the gradients of both on a GPU: by cuDNN, or as a matrix product where
// the filter is one pixel. cuDNN pads both ends alike and has its own order of filters and, for most of
// float, of images; what differs is copied on the way.
#include "kernels/framework/cuda_context.cuh"
#include "kernels/framework/cuda_gemm.cuh"
#include "kernels/framework/strided_copy.h"
#include "kernels/nn/conv_dimensions.h"
#include "kernels/nn/cudnn.cuh"

namespace tfbuild {
namespace {

// One convolution or gradient: two operands are set, the third is made in `result`.
struct Call {
  OpKernelContext* context;
  ConvDirection direction;
  ConvDimensions dims;
  const Tensor* input;
  const Tensor* filter;
  const Tensor* output;
  Tensor* result;
  EpilogueCall then = {};

  DType dtype() const { return result->dtype(); }
  bool makes(ConvDirection made) const { return direction == made; }
};

// How images lie in memory: `rows` x `cols` pixels, of which the part from (first_row, first_col)
// is looked at.
struct ImageLayout {
  bool channels_last;
  int64_t channels;
  int64_t rows;
  int64_t cols;
  int64_t first_row = 0;
  int64_t first_col = 0;

  int64_t row_stride() const { return cols * col_stride(); }
  int64_t col_stride() const { return channels_last ? channels : 1; }
  int64_t channel_stride() const { return channels_last ? 1 : rows * cols; }
  int64_t batch_stride() const { return channels * rows * cols; }
  int64_t first() const { return first_row * row_stride() + first_col * col_stride(); }
  bool operator==(const ImageLayout& other) const {
    return channels_last == other.channels_last && rows == other.rows && cols == other.cols;
  }
};

// The copy of `rows` x `cols` pixels of each image between two layouts.
StridedCopy ImageCopy(const ImageLayout& from, const ImageLayout& to, int64_t batch, int64_t rows,
                      int64_t cols) {
  StridedCopy copy;
  copy.from = from.first();
  copy.to = to.first();
  copy.AddDim(batch, from.batch_stride(), to.batch_stride());
  if (!to.channels_last) copy.AddDim(to.channels, from.channel_stride(), to.channel_stride());
  copy.AddDim(rows, from.row_stride(), to.row_stride());
  copy.AddDim(cols, from.col_stride(), to.col_stride());
  if (to.channels_last) copy.AddDim(to.channels, from.channel_stride(), to.channel_stride());
  return copy;
}

int64_t Uneven(const Window& window) {
  return std::max(window.pad_before, window.pad_after) -
         std::min(window.pad_before, window.pad_after);
}
// Where the image begins in one that has the uneven part of the padding put on.
int64_t Lead(const Window& window) {
  return std::max<int64_t>(0, window.pad_before - window.pad_after);
}

// The three arrays of a call as the op has them and as cuDNN wants them.
struct Layouts {
  ImageLayout input_here, input_there;
  ImageLayout output_here, output_there;
  StridedCopy filter_there;  // from the op's filter to cuDNN's
};

StridedCopy FilterCopy(const ConvDimensions& dims, bool channels_last) {
  const int64_t in = dims.in_channels / dims.groups;
  const int64_t out = dims.out_channels;
  const int64_t cols = dims.cols.filter;
  const int64_t area = dims.rows.filter * cols;
  StridedCopy copy;
  copy.AddDim(out, 1, in * area);
  if (channels_last) {
    copy.AddDim(area, in * out, in);
    copy.AddDim(in, out, 1);
  } else {
    copy.AddDim(in, out, area);
    copy.AddDim(area, in * out, 1);
  }
  return copy;
}

StridedCopy Reversed(const StridedCopy& copy) {
  StridedCopy back = copy;
  std::swap(back.from_strides, back.to_strides);
  std::swap(back.from, back.to);
  return back;
}

Layouts MakeLayouts(const ConvDimensions& d, bool channels_last) {
  const bool here = d.format == DataFormat::kNHWC;
  return {{here, d.in_channels, d.rows.input, d.cols.input},
          {channels_last, d.in_channels, d.rows.input + Uneven(d.rows),
           d.cols.input + Uneven(d.cols), Lead(d.rows), Lead(d.cols)},
          {here, d.out_channels, d.rows.output, d.cols.output},
          {channels_last, d.out_channels, d.rows.output, d.cols.output},
          FilterCopy(d, channels_last)};
}

CudnnWindow MakeWindow(const Window& window) {
  return {window.input + Uneven(window), window.filter, window.stride, window.dilation,
          std::min(window.pad_before, window.pad_after), window.output};
}

CudnnConvolution Describe(const Call& call, bool channels_last) {
  return {call.direction,         call.dtype(),           channels_last,
          call.dims.batch,        call.dims.in_channels,  call.dims.out_channels,
          call.dims.groups,       MakeWindow(call.dims.rows), MakeWindow(call.dims.cols),
          call.then.what};
}

Result<Tensor> Room(const Call& call, int64_t elements) {
  return call.context->AllocateTemp(call.dtype(), Shape{elements});
}

// The images in the wanted layout; themselves when they lie so already.
Result<Tensor> ToLayout(const Call& call, const Tensor& images, const ImageLayout& here,
                        const ImageLayout& there) {
  if (here == there) return images;
  ASSIGN_OR_RETURN(Tensor copied, Room(call, call.dims.batch * there.batch_stride()));
  if (here.batch_stride() != there.batch_stride()) {
    RETURN_IF_ERROR(RunZero(call.context, &copied));
  }
  const StridedCopy copy = ImageCopy(here, there, call.dims.batch, here.rows, here.cols);
  RETURN_IF_ERROR(RunStridedCopy(call.context, copy, images, &copied));
  return copied;
}

// Memory for images that cuDNN makes: the result's own where the layout is the same.
Result<Tensor> RoomForImages(const Call& call, const ImageLayout& here, const ImageLayout& there) {
  if (here == there) return *call.result;
  return Room(call, call.dims.batch * there.batch_stride());
}

// Brings what cuDNN made into the result.
Status TakeImages(const Call& call, const Tensor& made, const ImageLayout& there,
                  const ImageLayout& here) {
  if (here == there) return OkStatus();
  const StridedCopy copy = ImageCopy(there, here, call.dims.batch, here.rows, here.cols);
  return RunStridedCopy(call.context, copy, made, call.result);
}

Result<Tensor> ToFilter(const Call& call, const StridedCopy& copy) {
  ASSIGN_OR_RETURN(Tensor copied, Room(call, call.filter->num_elements()));
  RETURN_IF_ERROR(RunStridedCopy(call.context, copy, *call.filter, &copied));
  return copied;
}

Status RunInLayout(const Call& call, bool channels_last) {
  const CudnnConvolution convolution = Describe(call, channels_last);
  RETURN_IF_ERROR(CheckCudnnConvolution(call.context, convolution));
  const Layouts l = MakeLayouts(call.dims, channels_last);
  ASSIGN_OR_RETURN(const Tensor input,
                   call.makes(ConvDirection::kInputGradient)
                       ? RoomForImages(call, l.input_here, l.input_there)
                       : ToLayout(call, *call.input, l.input_here, l.input_there));
  ASSIGN_OR_RETURN(const Tensor output,
                   call.makes(ConvDirection::kForward)
                       ? RoomForImages(call, l.output_here, l.output_there)
                       : ToLayout(call, *call.output, l.output_here, l.output_there));
  ASSIGN_OR_RETURN(const Tensor filter, call.makes(ConvDirection::kFilterGradient)
                                            ? Room(call, call.result->num_elements())
                                            : ToFilter(call, l.filter_there));
  RETURN_IF_ERROR(RunCudnnConvolution(call.context, convolution,
                                      {input.raw(), filter.raw(), output.raw(), call.then.bias,
                                       call.then.residual}));
  switch (call.direction) {
    case ConvDirection::kForward:
      return TakeImages(call, output, l.output_there, l.output_here);
    case ConvDirection::kInputGradient:
      return TakeImages(call, input, l.input_there, l.input_here);
    default:
      return RunStridedCopy(call.context, Reversed(l.filter_there), filter, call.result);
  }
}

// Whether each output pixel is the product of one input pixel and the filter.
bool IsProduct(const ConvDimensions& d) {
  const auto plain = [](const Window& w) {
    return w.filter == 1 && w.stride == 1 && w.pad_before == 0 && w.pad_after == 0;
  };
  return d.format == DataFormat::kNHWC && d.groups == 1 && plain(d.rows) && plain(d.cols);
}

// Pixels are rows of matrices, the filter is in x out.
Status RunProduct(const Call& call) {
  const ConvDimensions& d = call.dims;
  const int64_t pixels = d.batch * d.rows.input * d.cols.input;
  CudaDevice* device = CudaDeviceOf(call.context);
  switch (call.direction) {
    case ConvDirection::kForward:
      return RunCudaGemm(device, call.dtype(), {pixels, d.in_channels, d.out_channels},
                         call.input->raw(), call.filter->raw(), call.result->raw());
    case ConvDirection::kInputGradient:
      return RunCudaGemm(device, call.dtype(),
                         {pixels, d.out_channels, d.in_channels, false, true}, call.output->raw(),
                         call.filter->raw(), call.result->raw());
    default:
      return RunCudaGemm(device, call.dtype(),
                         {d.in_channels, pixels, d.out_channels, true, false}, call.input->raw(),
                         call.output->raw(), call.result->raw());
  }
}

// Whether there is nothing to multiply.
bool IsEmpty(const ConvDimensions& d) {
  return d.batch == 0 || d.in_channels == 0 || d.rows.input * d.cols.input == 0 ||
         d.rows.output * d.cols.output == 0;
}

bool TakesChannelsLast(const Call& call) {
  return call.dims.format == DataFormat::kNHWC &&
         CudaDeviceOf(call.context)->PrefersChannelsLast(call.dtype());
}

Status RunConvolution(const Call& call) {
  if (call.result->num_elements() == 0) return OkStatus();
  if (IsEmpty(call.dims)) return RunZero(call.context, call.result);
  if (IsProduct(call.dims)) return RunProduct(call);
  const bool channels_last = TakesChannelsLast(call);
  const Status status = RunInLayout(call, channels_last);
  if (status.code() != Code::kUnimplemented) return status;
  const Status other = RunInLayout(call, !channels_last);
  return other.code() == Code::kUnimplemented ? status : other;
}

// A convolution and what follows it: in one call where the library has one, else by two kernels.
Status RunFusedConvolution(Call call, const EpilogueCall& then) {
  const ConvDimensions& d = call.dims;
  if (call.result->num_elements() == 0) return OkStatus();
  if (!IsEmpty(d) && IsProduct(d)) {
    const int64_t pixels = d.batch * d.rows.input * d.cols.input;
    return RunFusedGemm(call.context, {pixels, d.in_channels, d.out_channels}, *call.input,
                        *call.filter, then, call.result);
  }
  // In the op's own layout, which the tensor that is added has.
  const bool channels_last = d.format == DataFormat::kNHWC;
  if (!IsEmpty(d) && channels_last == TakesChannelsLast(call)) {
    call.then = then;
    const Status status = RunInLayout(call, channels_last);
    if (status.code() != Code::kUnimplemented) return status;
    call.then = {};
  }
  RETURN_IF_ERROR(RunConvolution(call));
  return RunEpilogue(call.context, then, call.result);
}

// Of a depthwise op the filter has another shape.
template <bool kDepthwise>
class CudaConvOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(sliding_, ReadConvAttrs(construction));
    return OkStatus();
  }

 protected:
  Result<Shape> FilterOf(const Shape& input, const Shape& filter) const {
    if (kDepthwise) return GroupedFilter(sliding_, input, filter);
    return filter;
  }
  Result<Shape> InputOf(const Tensor& input_sizes, const Shape& filter,
                        const Shape& gradient) const {
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, input_sizes.IntValues());
    if (kDepthwise) return Shape::Make(std::move(sizes));
    return InputShapeFromSizes(sizes, sliding_, filter, gradient);
  }
  Sliding sliding_;
};

template <bool kDepthwise>
class CudaConvForwardOp final : public CudaConvOp<kDepthwise> {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    ASSIGN_OR_RETURN(const Shape shape, this->FilterOf(input.shape(), filter.shape()));
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvDimensions(this->sliding_, input.shape(), shape));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    return RunConvolution(
        {context, ConvDirection::kForward, dims, &input, &filter, nullptr, output});
  }
};

class CudaFusedConvOp final : public CudaConvOp<false> {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(epilogue_, ReadEpilogue(construction));
    RETURN_IF_ERROR(CudaConvOp::Init(construction));
    const bool fits = epilogue_.activation != Epilogue::Activation::kGelu;
    return fits ? OkStatus() : Unimplemented("_FusedConv2D with a Gelu");
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& filter = context->input(1);
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvDimensions(sliding_, input.shape(), filter.shape()));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, dims.output_shape()));
    ASSIGN_OR_RETURN(const EpilogueCall then, EpilogueOf(context, epilogue_, output->shape(),
                                                           channels_last() ? 3 : 1));
    return RunFusedConvolution(
        {context, ConvDirection::kForward, dims, &input, &filter, nullptr, output}, then);
  }

 private:
  bool channels_last() const { return sliding_.format == DataFormat::kNHWC; }
  Epilogue epilogue_;
};

template <bool kDepthwise>
class CudaConvInputGradientOp final : public CudaConvOp<kDepthwise> {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& filter = context->input(1);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(const Shape input,
                     this->InputOf(context->input(0), filter.shape(), gradient.shape()));
    ASSIGN_OR_RETURN(const Shape shape, this->FilterOf(input, filter.shape()));
    ASSIGN_OR_RETURN(const ConvDimensions dims,
                     MakeConvGradDimensions(this->sliding_, input, shape, gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, input));
    return RunConvolution(
        {context, ConvDirection::kInputGradient, dims, nullptr, &filter, &gradient, result});
  }
};

template <bool kDepthwise>
class CudaConvFilterGradientOp final : public CudaConvOp<kDepthwise> {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const Tensor& gradient = context->input(2);
    ASSIGN_OR_RETURN(std::vector<int64_t> sizes, context->input(1).IntValues());
    ASSIGN_OR_RETURN(const Shape filter, Shape::Make(std::move(sizes)));
    ASSIGN_OR_RETURN(const Shape shape, this->FilterOf(input.shape(), filter));
    ASSIGN_OR_RETURN(const ConvDimensions dims, MakeConvGradDimensions(
        this->sliding_, input.shape(), shape, gradient.shape()));
    ASSIGN_OR_RETURN(Tensor * result, context->AllocateOutput(0, filter));
    return RunConvolution(
        {context, ConvDirection::kFilterGradient, dims, &input, nullptr, &gradient, result});
  }
};

#define REGISTER_FORWARD(NAME, T, DEPTHWISE) \
  REGISTER_KERNEL(Kernel(NAME).OnGpu().Type<T>("T"), CudaConvForwardOp<DEPTHWISE>);
#define REGISTER_INPUT_GRADIENT(NAME, T, DEPTHWISE)                               \
  REGISTER_KERNEL(Kernel(NAME).OnGpu().Type<T>("T").HostMemory("input_sizes"),    \
                  CudaConvInputGradientOp<DEPTHWISE>);
#define REGISTER_FILTER_GRADIENT(NAME, T, DEPTHWISE)                              \
  REGISTER_KERNEL(Kernel(NAME).OnGpu().Type<T>("T").HostMemory("filter_sizes"),   \
                  CudaConvFilterGradientOp<DEPTHWISE>);
#define REGISTER(T)                                                              \
  REGISTER_FORWARD("Conv2D", T, false)                                           \
  REGISTER_INPUT_GRADIENT("Conv2DBackpropInput", T, false)                       \
  REGISTER_FILTER_GRADIENT("Conv2DBackpropFilter", T, false)                     \
  REGISTER_FORWARD("DepthwiseConv2dNative", T, true)                             \
  REGISTER_INPUT_GRADIENT("DepthwiseConv2dNativeBackpropInput", T, true)         \
  REGISTER_FILTER_GRADIENT("DepthwiseConv2dNativeBackpropFilter", T, true)
TFBUILD_FLOATING_TYPES(REGISTER)
#undef REGISTER
#define REGISTER(T) REGISTER_KERNEL(Kernel("_FusedConv2D").OnGpu().Type<T>("T"), CudaFusedConvOp);
REGISTER(float)
REGISTER(Half)
REGISTER(BFloat16)
#undef REGISTER
#undef REGISTER_FILTER_GRADIENT
#undef REGISTER_INPUT_GRADIENT
#undef REGISTER_FORWARD

}  // namespace
}  // namespace tfbuild
