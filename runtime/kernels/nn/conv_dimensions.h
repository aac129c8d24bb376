#pragma once

// Attributes, checks and sizes of convolutions and pooling, shared by the shape functions and the
// kernels of all devices.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace tfbuild {

enum class DataFormat { kNHWC, kNCHW };
enum class Padding { kSame, kValid, kExplicit };

// What a convolution computes from what.
enum class ConvPass {
  kForward,  // input, filter -> output
  kInput,    // filter, gradient of the output -> gradient of the input
  kFilter,   // input, gradient of the output -> gradient of the filter
};

// Where batch, channels, rows and columns are in a shape of rank 4.
struct FormatAxes {
  int batch, channels, rows, cols;
};
constexpr FormatAxes AxesOf(DataFormat format) {
  return format == DataFormat::kNHWC ? FormatAxes{0, 3, 1, 2} : FormatAxes{0, 1, 2, 3};
}

Result<DataFormat> ParseDataFormat(const std::string& text);
Result<Padding> ParsePadding(const std::string& text);
// Beyond this size products would overflow, and no library takes it.
constexpr int64_t kMaxSpatialSize = std::numeric_limits<int32_t>::max();

// How a window slides along one spatial dimension. Filled in two steps: what attributes and shapes
// say, then output size and padding by SetOutput.
struct Window {
  int64_t input = 0;
  int64_t filter = 0;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;  // given for explicit padding, else computed
  int64_t pad_after = 0;
  int64_t output = 0;

  int64_t effective_filter() const { return (filter - 1) * dilation + 1; }
};
// Computes output and padding; InvalidArgument when the window does not fit.
Status SetOutput(Padding padding, Window* window);
// The size of the output along one dimension; unknown when the input or the filter is.
Result<int64_t> InferOutput(Padding padding, Window window, int64_t input, int64_t filter);

// The attributes that convolutions and pooling share, as the op has them.
struct SlidingAttrs {
  std::vector<int64_t> ksize;  // pooling only
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::vector<int64_t> explicit_paddings;
  std::string padding;
  std::string data_format;
};

// The attributes after checking. The windows lack input and, for convolutions, filter sizes.
struct Sliding {
  DataFormat format = DataFormat::kNHWC;
  Padding padding = Padding::kSame;
  Window rows;
  Window cols;
};
Result<Sliding> CheckSliding(const SlidingAttrs& attrs);

// Reads the attributes of a convolution from an OpKernelConstruction or a ShapeContext.
template <typename Source>
Result<Sliding> ReadConvAttrs(const Source& source) {
  SlidingAttrs attrs;
  using Ints = std::vector<int64_t>;
  ASSIGN_OR_RETURN(attrs.strides, source.template Attr<Ints>("strides"));
  ASSIGN_OR_RETURN(attrs.dilations, source.template Attr<Ints>("dilations"));
  ASSIGN_OR_RETURN(attrs.explicit_paddings, source.template Attr<Ints>("explicit_paddings"));
  ASSIGN_OR_RETURN(attrs.padding, source.template Attr<std::string>("padding"));
  ASSIGN_OR_RETURN(attrs.data_format, source.template Attr<std::string>("data_format"));
  return CheckSliding(attrs);
}

// The same for pooling; only maximum pooling knows explicit paddings.
template <typename Source>
Result<Sliding> ReadPoolAttrs(const Source& source, bool has_explicit_paddings) {
  SlidingAttrs attrs;
  using Ints = std::vector<int64_t>;
  ASSIGN_OR_RETURN(attrs.ksize, source.template Attr<Ints>("ksize"));
  ASSIGN_OR_RETURN(attrs.strides, source.template Attr<Ints>("strides"));
  if (has_explicit_paddings) {
    ASSIGN_OR_RETURN(attrs.explicit_paddings, source.template Attr<Ints>("explicit_paddings"));
  }
  ASSIGN_OR_RETURN(attrs.padding, source.template Attr<std::string>("padding"));
  ASSIGN_OR_RETURN(attrs.data_format, source.template Attr<std::string>("data_format"));
  return CheckSliding(attrs);
}

// All sizes of one convolution. The filter is [rows, cols, in_channels / groups, out_channels].
struct ConvDimensions {
  DataFormat format = DataFormat::kNHWC;
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  Window rows;
  Window cols;

  Shape input_shape() const;
  Shape output_shape() const;
};
// For a concrete input and filter.
Result<ConvDimensions> MakeConvDimensions(const Sliding& sliding, const Shape& input,
                                          const Shape& filter);
// The shape of a depthwise filter, [rows, cols, channels, multiplier], as that of the convolution with as
// many groups as input channels that it is, [rows, cols, 1, channels * multiplier]: in memory they
// are the same.
Result<Shape> GroupedFilter(const Sliding& sliding, const Shape& input, const Shape& filter);
// As MakeConvDimensions, and checks that `gradient` has the shape of the convolution's output.
Result<ConvDimensions> MakeConvGradDimensions(const Sliding& sliding, const Shape& input,
                                              const Shape& filter, const Shape& gradient);
// The input's shape from the values of input_sizes, which hold all four dimensions or just rows
// and columns.
Result<Shape> InputShapeFromSizes(const std::vector<int64_t>& sizes, const Sliding& sliding,
                                  const Shape& filter, const Shape& gradient);
// The output's shape as far as input and filter are known; both of rank 4.
Result<PartialShape> InferConvShape(const Sliding& sliding, const PartialShape& input,
                                    const PartialShape& filter);

// All sizes of one pooling.
struct PoolDimensions {
  DataFormat format = DataFormat::kNHWC;
  int64_t batch = 0;
  int64_t channels = 0;
  Window rows;
  Window cols;

  Shape output_shape() const;
};
Result<PoolDimensions> MakePoolDimensions(const Sliding& sliding, const Shape& input);
Result<PartialShape> InferPoolShape(const Sliding& sliding, const PartialShape& input);

}  // namespace tfbuild
