#pragma once

// Attributes, checks and sizes of convolutions and pooling over volumes, which are
// [batch, depth, rows, columns, channels] or have their channels second.

#include <array>
#include <string>
#include <vector>

#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// The attributes after checking; windows of depth, rows and columns, which lack the input's size
// and, for convolutions, the filter's.
struct VolumeSliding {
  bool channels_last = true;
  Padding padding = Padding::kSame;
  std::array<Window, 3> windows;

  int channels_axis() const { return channels_last ? 4 : 1; }
  int first_axis() const { return channels_last ? 1 : 2; }  // of depth
};

struct VolumeAttrs {
  std::vector<int64_t> ksize;  // pooling only
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string padding;
  std::string data_format;
};
Result<VolumeSliding> CheckVolumeSliding(const VolumeAttrs& attrs);

// Reads the attributes of a convolution, or of a pooling, from an OpKernelConstruction or a
// ShapeContext.
template <typename Source>
Result<VolumeSliding> ReadVolumeAttrs(const Source& source, bool pools) {
  VolumeAttrs attrs;
  using Ints = std::vector<int64_t>;
  if (pools) {
    ASSIGN_OR_RETURN(attrs.ksize, source.template Attr<Ints>("ksize"));
  } else {
    ASSIGN_OR_RETURN(attrs.dilations, source.template Attr<Ints>("dilations"));
  }
  ASSIGN_OR_RETURN(attrs.strides, source.template Attr<Ints>("strides"));
  ASSIGN_OR_RETURN(attrs.padding, source.template Attr<std::string>("padding"));
  ASSIGN_OR_RETURN(attrs.data_format, source.template Attr<std::string>("data_format"));
  return CheckVolumeSliding(attrs);
}

// All sizes of one convolution, whose filter is [depth, rows, columns, channels in, channels out],
// or of one pooling, which has as many channels out as in.
struct VolumeDimensions {
  bool channels_last = true;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  std::array<Window, 3> windows;

  // Of one volume.
  int64_t input_pixels() const;
  int64_t output_pixels() const;
  int64_t places() const;  // of the filter
  Shape input_shape() const;
  Shape output_shape() const;
};
Result<VolumeDimensions> MakeVolumeDimensions(const VolumeSliding& sliding, const Shape& input,
                                              const Shape& filter);
// The same, and checks that `gradient` has the shape of the convolution's output.
Result<VolumeDimensions> MakeVolumeGradDimensions(const VolumeSliding& sliding, const Shape& input,
                                                  const Shape& filter, const Shape& gradient);
Result<VolumeDimensions> MakeVolumePoolDimensions(const VolumeSliding& sliding, const Shape& input);

// The output's shape as far as the input's is known and the filter's, both of rank 5; of a pooling
// `filter` is null.
Result<PartialShape> InferVolumeShape(const VolumeSliding& sliding, const PartialShape& input,
                                      const PartialShape* filter);

}  // namespace tfbuild
