#include "kernels/nn/volume_dimensions.h"

namespace tfbuild {
namespace {

// Checks a list of five numbers, one for each dimension, of which batch and channels are 1.
Status CheckFive(const char* name, const std::vector<int64_t>& values,
                 const VolumeSliding& sliding) {
  if (values.size() != 5) {
    return InvalidArgument(name, " must have 5 numbers, not ", values.size());
  }
  for (const int64_t value : values) {
    if (value < 1 || value > kMaxSpatialSize) {
      return InvalidArgument(name, " must be positive and below 2^31, not ", value);
    }
  }
  if (values[0] == 1 && values[static_cast<size_t>(sliding.channels_axis())] == 1) {
    return OkStatus();
  }
  return InvalidArgument(name, " in the batch and channel dimensions must be 1");
}

Status CheckRank5(const char* name, const Shape& shape) {
  if (shape.rank() == 5) return OkStatus();
  return InvalidArgument(name, " must have rank 5 but its shape is ", shape);
}

template <typename Volumes>
Volumes ShapeOf(bool channels_last, int64_t batch, const std::array<int64_t, 3>& sizes,
                int64_t channels) {
  if (channels_last) return Volumes({batch, sizes[0], sizes[1], sizes[2], channels});
  return Volumes({batch, channels, sizes[0], sizes[1], sizes[2]});
}

// What is known before the filter is.
VolumeDimensions OfInput(const VolumeSliding& sliding, const Shape& input) {
  VolumeDimensions dims;
  dims.channels_last = sliding.channels_last;
  dims.batch = input.dim(0);
  dims.in_channels = input.dim(sliding.channels_axis());
  dims.windows = sliding.windows;
  return dims;
}

// Fills in the outputs; the products of sizes are checked once here, so that shapes made of them
// are valid.
Status Finish(const VolumeSliding& sliding, const Shape& input, VolumeDimensions* dims) {
  int axis = sliding.first_axis();
  for (Window& window : dims->windows) {
    window.input = input.dim(axis++);
    RETURN_IF_ERROR(SetOutput(sliding.padding, &window));
  }
  const auto& [depth, rows, cols] = dims->windows;
  return Shape::Make({dims->batch, depth.output, rows.output, cols.output, dims->out_channels})
      .status();
}

}  // namespace

Result<VolumeSliding> CheckVolumeSliding(const VolumeAttrs& attrs) {
  VolumeSliding sliding;
  if (attrs.data_format != "NDHWC" && attrs.data_format != "NCDHW") {
    return InvalidArgument("data_format must be NDHWC or NCDHW, not '", attrs.data_format, "'");
  }
  sliding.channels_last = attrs.data_format == "NDHWC";
  ASSIGN_OR_RETURN(sliding.padding, ParsePadding(attrs.padding));
  if (sliding.padding == Padding::kExplicit) {
    return InvalidArgument("padding of volumes must be SAME or VALID");
  }
  RETURN_IF_ERROR(CheckFive("strides", attrs.strides, sliding));
  RETURN_IF_ERROR(CheckFive("dilations", attrs.dilations, sliding));
  if (!attrs.ksize.empty()) RETURN_IF_ERROR(CheckFive("ksize", attrs.ksize, sliding));
  size_t axis = static_cast<size_t>(sliding.first_axis());
  for (Window& window : sliding.windows) {
    window.stride = attrs.strides[axis];
    window.dilation = attrs.dilations[axis];
    if (!attrs.ksize.empty()) window.filter = attrs.ksize[axis];
    ++axis;
  }
  return sliding;
}

int64_t VolumeDimensions::input_pixels() const {
  return windows[0].input * windows[1].input * windows[2].input;
}
int64_t VolumeDimensions::output_pixels() const {
  return windows[0].output * windows[1].output * windows[2].output;
}
int64_t VolumeDimensions::places() const {
  return windows[0].filter * windows[1].filter * windows[2].filter;
}
Shape VolumeDimensions::input_shape() const {
  return ShapeOf<Shape>(channels_last, batch,
                        {windows[0].input, windows[1].input, windows[2].input}, in_channels);
}
Shape VolumeDimensions::output_shape() const {
  return ShapeOf<Shape>(channels_last, batch,
                        {windows[0].output, windows[1].output, windows[2].output}, out_channels);
}

Result<VolumeDimensions> MakeVolumeDimensions(const VolumeSliding& sliding, const Shape& input,
                                              const Shape& filter) {
  RETURN_IF_ERROR(CheckRank5("input", input));
  RETURN_IF_ERROR(CheckRank5("filter", filter));
  VolumeDimensions dims = OfInput(sliding, input);
  for (int i = 0; i < 4; ++i) {
    if (filter.dim(i) > 0) continue;
    return InvalidArgument("filter must not be empty but its shape is ", filter);
  }
  if (filter.dim(3) != dims.in_channels) {
    return InvalidArgument("input and filter must have the same depth: ", dims.in_channels, " vs ",
                           filter.dim(3));
  }
  dims.out_channels = filter.dim(4);
  for (size_t i = 0; i < 3; ++i) dims.windows[i].filter = filter.dim(static_cast<int>(i));
  RETURN_IF_ERROR(Finish(sliding, input, &dims));
  return dims;
}

Result<VolumeDimensions> MakeVolumeGradDimensions(const VolumeSliding& sliding, const Shape& input,
                                                  const Shape& filter, const Shape& gradient) {
  ASSIGN_OR_RETURN(VolumeDimensions dims, MakeVolumeDimensions(sliding, input, filter));
  if (gradient == dims.output_shape()) return dims;
  return InvalidArgument("out_backprop has shape ", gradient, " but input ", input, " and filter ",
                         filter, " give an output of shape ", dims.output_shape());
}

Result<VolumeDimensions> MakeVolumePoolDimensions(const VolumeSliding& sliding,
                                                  const Shape& input) {
  RETURN_IF_ERROR(CheckRank5("input", input));
  VolumeDimensions dims = OfInput(sliding, input);
  dims.out_channels = dims.in_channels;
  RETURN_IF_ERROR(Finish(sliding, input, &dims));
  return dims;
}

Result<PartialShape> InferVolumeShape(const VolumeSliding& sliding, const PartialShape& input,
                                      const PartialShape* filter) {
  const int64_t channels = input.dim(sliding.channels_axis());
  if (filter != nullptr && channels != kUnknownDim && filter->dim(3) != kUnknownDim &&
      channels != filter->dim(3)) {
    return InvalidArgument("Dimensions must be equal, but are ", channels, " and ", filter->dim(3));
  }
  std::array<int64_t, 3> sizes;
  for (int i = 0; i < 3; ++i) {
    const Window& window = sliding.windows[static_cast<size_t>(i)];
    ASSIGN_OR_RETURN(sizes[static_cast<size_t>(i)],
                     InferOutput(sliding.padding, window, input.dim(sliding.first_axis() + i),
                                 filter == nullptr ? window.filter : filter->dim(i)));
  }
  return ShapeOf<PartialShape>(sliding.channels_last, input.dim(0), sizes,
                               filter == nullptr ? channels : filter->dim(4));
}

}  // namespace tfbuild
