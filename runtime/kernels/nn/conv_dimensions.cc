#include "kernels/nn/conv_dimensions.h"

#include <algorithm>

namespace tfbuild {
namespace {

// Checks a list of four numbers, one for each dimension, of which batch and channels are 1.
Status CheckPerDimension(const char* name, const std::vector<int64_t>& values,
                         const FormatAxes& axes) {
  if (values.size() != 4) {
    return InvalidArgument(name, " must have 4 numbers, not ", values.size());
  }
  for (const int64_t value : values) {
    if (value < 1 || value > kMaxSpatialSize) {
      return InvalidArgument(name, " must be positive and below 2^31, not ", value);
    }
  }
  const size_t batch = static_cast<size_t>(axes.batch);
  const size_t channels = static_cast<size_t>(axes.channels);
  if (values[batch] != 1 || values[channels] != 1) {
    return Unimplemented(name, " in the batch and channel dimensions must be 1");
  }
  return OkStatus();
}

Status SetExplicitPaddings(const std::vector<int64_t>& paddings, const FormatAxes& axes,
                           Sliding* sliding) {
  if (sliding->padding != Padding::kExplicit) {
    if (paddings.empty()) return OkStatus();
    return InvalidArgument("explicit_paddings must be empty unless padding is EXPLICIT");
  }
  if (paddings.size() != 8) {
    return InvalidArgument("explicit_paddings must have 8 numbers, not ", paddings.size());
  }
  for (const int64_t pad : paddings) {
    if (pad < 0 || pad > kMaxSpatialSize) {
      return InvalidArgument("explicit_paddings must not be negative or beyond 2^31: ", pad);
    }
  }
  const auto before = [&paddings](int axis) { return paddings[static_cast<size_t>(2 * axis)]; };
  const auto after = [&paddings](int axis) { return paddings[static_cast<size_t>(2 * axis + 1)]; };
  for (const int axis : {axes.batch, axes.channels}) {
    if (before(axis) == 0 && after(axis) == 0) continue;
    return InvalidArgument("explicit_paddings of batch and channels must be 0");
  }
  sliding->rows.pad_before = before(axes.rows);
  sliding->rows.pad_after = after(axes.rows);
  sliding->cols.pad_before = before(axes.cols);
  sliding->cols.pad_after = after(axes.cols);
  return OkStatus();
}

Shape ShapeOf(DataFormat format, int64_t batch, int64_t rows, int64_t cols, int64_t channels) {
  if (format == DataFormat::kNHWC) return Shape{batch, rows, cols, channels};
  return Shape{batch, channels, rows, cols};
}

Status CheckRank4(const char* name, const Shape& shape) {
  if (shape.rank() == 4) return OkStatus();
  return InvalidArgument(name, " must have rank 4 but its shape is ", shape);
}

PartialShape MakePartial(DataFormat format, int64_t batch, int64_t rows, int64_t cols,
                         int64_t channels) {
  if (format == DataFormat::kNHWC) return {batch, rows, cols, channels};
  return {batch, channels, rows, cols};
}

// The number of groups of input channels, each with its own filters.
Result<int64_t> CountGroups(int64_t in_channels, int64_t filter_in, int64_t filter_out) {
  if (filter_in == 0 || in_channels % filter_in != 0) {
    return InvalidArgument("input depth ", in_channels, " must be a multiple of filter depth ",
                           filter_in);
  }
  const int64_t groups = in_channels / filter_in;
  if (groups == 0) return InvalidArgument("input depth must be positive");
  if (filter_out % groups != 0) {
    return InvalidArgument("output depth ", filter_out, " must be a multiple of the number of ",
                           "groups ", groups);
  }
  return groups;
}

}  // namespace

Result<DataFormat> ParseDataFormat(const std::string& text) {
  if (text == "NHWC") return DataFormat::kNHWC;
  if (text == "NCHW") return DataFormat::kNCHW;
  return InvalidArgument("data_format must be NHWC or NCHW, not '", text, "'");
}

Result<Padding> ParsePadding(const std::string& text) {
  if (text == "SAME") return Padding::kSame;
  if (text == "VALID") return Padding::kValid;
  if (text == "EXPLICIT") return Padding::kExplicit;
  return InvalidArgument("padding must be SAME, VALID or EXPLICIT, not '", text, "'");
}

Status SetOutput(Padding padding, Window* window) {
  if (window->input > kMaxSpatialSize || window->filter > kMaxSpatialSize) {
    return InvalidArgument("spatial dimensions of 2^31 and more are not supported");
  }
  const int64_t filter = window->effective_filter();
  if (padding == Padding::kSame) {
    window->output = (window->input + window->stride - 1) / window->stride;
    const int64_t needed = (window->output - 1) * window->stride + filter - window->input;
    window->pad_before = std::max<int64_t>(needed, 0) / 2;
    window->pad_after = std::max<int64_t>(needed, 0) - window->pad_before;
    return OkStatus();
  }
  if (padding == Padding::kValid) window->pad_before = window->pad_after = 0;
  const int64_t padded = window->input + window->pad_before + window->pad_after;
  window->output = (padded - filter + window->stride) / window->stride;
  if (window->output >= 0) return OkStatus();
  return InvalidArgument("computed output size would be negative: ", window->output,
                         " [input size: ", padded, ", effective filter size: ", filter,
                         ", stride: ", window->stride, "]");
}

Result<int64_t> InferOutput(Padding padding, Window window, int64_t input, int64_t filter) {
  if (input == kUnknownDim || filter == kUnknownDim) return kUnknownDim;
  window.input = input;
  window.filter = filter;
  RETURN_IF_ERROR(SetOutput(padding, &window));
  // Stricter than a running kernel, as TensorFlow is: there, too, nothing would be computed.
  const int64_t padded = window.input + window.pad_before + window.pad_after;
  if (padding != Padding::kSame && padded < window.effective_filter()) {
    return InvalidArgument("Negative dimension size caused by subtracting ",
                           window.effective_filter(), " from ", padded);
  }
  return window.output;
}

Result<Sliding> CheckSliding(const SlidingAttrs& attrs) {
  Sliding sliding;
  ASSIGN_OR_RETURN(sliding.format, ParseDataFormat(attrs.data_format));
  ASSIGN_OR_RETURN(sliding.padding, ParsePadding(attrs.padding));
  const FormatAxes axes = AxesOf(sliding.format);
  const size_t rows = static_cast<size_t>(axes.rows);
  const size_t cols = static_cast<size_t>(axes.cols);
  RETURN_IF_ERROR(CheckPerDimension("strides", attrs.strides, axes));
  RETURN_IF_ERROR(CheckPerDimension("dilations", attrs.dilations, axes));
  if (!attrs.ksize.empty()) {
    RETURN_IF_ERROR(CheckPerDimension("ksize", attrs.ksize, axes));
    sliding.rows.filter = attrs.ksize[rows];
    sliding.cols.filter = attrs.ksize[cols];
  }
  sliding.rows.stride = attrs.strides[rows];
  sliding.cols.stride = attrs.strides[cols];
  sliding.rows.dilation = attrs.dilations[rows];
  sliding.cols.dilation = attrs.dilations[cols];
  RETURN_IF_ERROR(SetExplicitPaddings(attrs.explicit_paddings, axes, &sliding));
  if (!attrs.ksize.empty()) {
    for (const Window* window : {&sliding.rows, &sliding.cols}) {
      if (std::max(window->pad_before, window->pad_after) < window->filter) continue;
      return InvalidArgument("explicit_paddings must be smaller than the window");
    }
  }
  return sliding;
}

Shape ConvDimensions::input_shape() const {
  return ShapeOf(format, batch, rows.input, cols.input, in_channels);
}
Shape ConvDimensions::output_shape() const {
  return ShapeOf(format, batch, rows.output, cols.output, out_channels);
}
Shape PoolDimensions::output_shape() const {
  return ShapeOf(format, batch, rows.output, cols.output, channels);
}

Result<ConvDimensions> MakeConvDimensions(const Sliding& sliding, const Shape& input,
                                          const Shape& filter) {
  RETURN_IF_ERROR(CheckRank4("input", input));
  RETURN_IF_ERROR(CheckRank4("filter", filter));
  // No filters at all are as many channels: an output without elements.
  if (filter.dim(0) == 0 || filter.dim(1) == 0 || filter.dim(2) == 0) {
    return InvalidArgument("filter must not be empty but its shape is ", filter);
  }
  const FormatAxes axes = AxesOf(sliding.format);
  ConvDimensions dims;
  dims.format = sliding.format;
  dims.batch = input.dim(axes.batch);
  dims.in_channels = input.dim(axes.channels);
  dims.out_channels = filter.dim(3);
  ASSIGN_OR_RETURN(dims.groups, CountGroups(dims.in_channels, filter.dim(2), filter.dim(3)));
  dims.rows = sliding.rows;
  dims.cols = sliding.cols;
  dims.rows.input = input.dim(axes.rows);
  dims.cols.input = input.dim(axes.cols);
  dims.rows.filter = filter.dim(0);
  dims.cols.filter = filter.dim(1);
  RETURN_IF_ERROR(SetOutput(sliding.padding, &dims.rows));
  RETURN_IF_ERROR(SetOutput(sliding.padding, &dims.cols));
  // Each product of sizes is checked once here, so that shapes made from them are valid.
  const Result<Shape> output =
      Shape::Make({dims.batch, dims.rows.output, dims.cols.output, dims.out_channels});
  if (!output.ok()) return output.status();
  return dims;
}

Result<ConvDimensions> MakeConvGradDimensions(const Sliding& sliding, const Shape& input,
                                              const Shape& filter, const Shape& gradient) {
  ASSIGN_OR_RETURN(ConvDimensions dims, MakeConvDimensions(sliding, input, filter));
  if (gradient == dims.output_shape()) return dims;
  return InvalidArgument("out_backprop has shape ", gradient, " but input ", input, " and filter ",
                         filter, " give an output of shape ", dims.output_shape());
}

Result<Shape> InputShapeFromSizes(const std::vector<int64_t>& sizes, const Sliding& sliding,
                                  const Shape& filter, const Shape& gradient) {
  if (sizes.size() == 4) return Shape::Make(sizes);
  RETURN_IF_ERROR(CheckRank4("filter", filter));
  RETURN_IF_ERROR(CheckRank4("out_backprop", gradient));
  if (sizes.size() != 2) {
    return InvalidArgument("input_sizes must have 4 or 2 numbers, not ", sizes.size());
  }
  const FormatAxes axes = AxesOf(sliding.format);
  std::vector<int64_t> dims(4);
  dims[static_cast<size_t>(axes.batch)] = gradient.dim(axes.batch);
  dims[static_cast<size_t>(axes.rows)] = sizes[0];
  dims[static_cast<size_t>(axes.cols)] = sizes[1];
  dims[static_cast<size_t>(axes.channels)] = filter.dim(2);
  return Shape::Make(std::move(dims));
}

Result<PartialShape> InferConvShape(const Sliding& sliding, const PartialShape& input,
                                    const PartialShape& filter) {
  const FormatAxes axes = AxesOf(sliding.format);
  const int64_t in_channels = input.dim(axes.channels);
  if (in_channels != kUnknownDim && filter.dim(2) != kUnknownDim) {
    if (filter.dim(3) == kUnknownDim) {
      RETURN_IF_ERROR(CountGroups(in_channels, filter.dim(2), 0).status());
    } else {
      RETURN_IF_ERROR(CountGroups(in_channels, filter.dim(2), filter.dim(3)).status());
    }
  }
  ASSIGN_OR_RETURN(const int64_t rows, InferOutput(sliding.padding, sliding.rows,
                                                   input.dim(axes.rows), filter.dim(0)));
  ASSIGN_OR_RETURN(const int64_t cols, InferOutput(sliding.padding, sliding.cols,
                                                   input.dim(axes.cols), filter.dim(1)));
  return MakePartial(sliding.format, input.dim(axes.batch), rows, cols, filter.dim(3));
}

Result<PoolDimensions> MakePoolDimensions(const Sliding& sliding, const Shape& input) {
  RETURN_IF_ERROR(CheckRank4("input", input));
  const FormatAxes axes = AxesOf(sliding.format);
  PoolDimensions dims;
  dims.format = sliding.format;
  dims.batch = input.dim(axes.batch);
  dims.channels = input.dim(axes.channels);
  dims.rows = sliding.rows;
  dims.cols = sliding.cols;
  dims.rows.input = input.dim(axes.rows);
  dims.cols.input = input.dim(axes.cols);
  RETURN_IF_ERROR(SetOutput(sliding.padding, &dims.rows));
  RETURN_IF_ERROR(SetOutput(sliding.padding, &dims.cols));
  const Result<Shape> output =
      Shape::Make({dims.batch, dims.rows.output, dims.cols.output, dims.channels});
  if (!output.ok()) return output.status();
  return dims;
}

Result<PartialShape> InferPoolShape(const Sliding& sliding, const PartialShape& input) {
  const FormatAxes axes = AxesOf(sliding.format);
  ASSIGN_OR_RETURN(const int64_t rows, InferOutput(sliding.padding, sliding.rows,
                                                   input.dim(axes.rows), sliding.rows.filter));
  ASSIGN_OR_RETURN(const int64_t cols, InferOutput(sliding.padding, sliding.cols,
                                                   input.dim(axes.cols), sliding.cols.filter));
  return MakePartial(sliding.format, input.dim(axes.batch), rows, cols, input.dim(axes.channels));
}

Result<Shape> GroupedFilter(const Sliding& sliding, const Shape& input, const Shape& filter) {
  if (input.rank() != 4 || filter.rank() != 4) {
    return InvalidArgument("input and filter must have rank 4, but their shapes are ", input,
                           " and ", filter);
  }
  const int64_t channels = input.dim(AxesOf(sliding.format).channels);
  if (channels != filter.dim(2)) {
    return InvalidArgument("input has ", channels, " channels but the filter has ", filter.dim(2));
  }
  if (filter.num_elements() == 0) {
    return InvalidArgument("filter must not be empty but its shape is ", filter);
  }
  return Shape{filter.dim(0), filter.dim(1), 1, filter.dim(2) * filter.dim(3)};
}

}  // namespace tfbuild
