#include "kernels/nn/conv_program.h"

#include <algorithm>
#include <string>

namespace tfbuild {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

// The layout in oneDNN's order batch, channels, rows, columns of a part of images, which have so
// many rows and columns.
Desc ImageDesc(DataFormat format, const Dims& part, int64_t rows, int64_t cols, DType dtype) {
  const int64_t channels = part[1];
  const int64_t image = channels * rows * cols;
  const Dims strides = format == DataFormat::kNHWC ? Dims{image, 1, cols * channels, channels}
                                                   : Dims{image, rows * cols, cols, 1};
  return Desc(part, OnednnType(dtype), strides);
}

// Of a whole, the input or output of a tile of it.
Desc InputDesc(const ConvDimensions& tile, const ConvDimensions& whole, DType dtype) {
  return ImageDesc(whole.format, {tile.batch, tile.in_channels, tile.rows.input, tile.cols.input},
                   whole.rows.input, whole.cols.input, dtype);
}
Desc OutputDesc(const ConvDimensions& tile, const ConvDimensions& whole, DType dtype) {
  return ImageDesc(whole.format,
                   {tile.batch, tile.out_channels, tile.rows.output, tile.cols.output},
                   whole.rows.output, whole.cols.output, dtype);
}

Dims FilterDims(const ConvDimensions& dims) {
  const int64_t in = dims.in_channels / dims.groups;
  if (dims.groups == 1) return {dims.out_channels, in, dims.rows.filter, dims.cols.filter};
  return {dims.groups, dims.out_channels / dims.groups, in, dims.rows.filter, dims.cols.filter};
}

// The filter as the tensor holds it: rows, columns, input channels, output channels.
Desc FilterDesc(const ConvDimensions& dims, DType dtype) {
  const int64_t out = dims.out_channels;
  const int64_t pixel = dims.in_channels / dims.groups * out;
  Dims strides = {1, out, dims.cols.filter * pixel, pixel};
  if (dims.groups > 1) strides.insert(strides.begin(), out / dims.groups);
  return Desc(FilterDims(dims), OnednnType(dtype), strides);
}

// A description that leaves the layout to the primitive, but for images with channels last, where
// oneDNN is as fast as in any layout; the filter, which is small, always takes the primitive's.
Desc Flexible(const Desc& stored, bool channels_last) {
  using Tag = dnnl::memory::format_tag;
  return Desc(stored.get_dims(), stored.get_data_type(), channels_last ? Tag::nhwc : Tag::any);
}

struct ConvDescs {
  Desc source, filter, destination;
  Dims strides, dilations, pad_before, pad_after;
};

ConvDescs MakeDescs(const ConvDimensions& dims, const Desc& source, const Desc& filter,
                    const Desc& destination) {
  const bool keep = dims.format == DataFormat::kNHWC;
  const Window& rows = dims.rows;
  const Window& cols = dims.cols;
  return {Flexible(source, keep),
          Flexible(filter, false),
          Flexible(destination, keep),
          {rows.stride, cols.stride},
          {rows.dilation - 1, cols.dilation - 1},
          {rows.pad_before, cols.pad_before},
          {rows.pad_after, cols.pad_after}};
}

constexpr auto kDirect = dnnl::algorithm::convolution_direct;

dnnl::convolution_forward::primitive_desc ForwardDesc(const ConvDescs& d) {
  return {OnednnEngine(), dnnl::prop_kind::forward_training, kDirect, d.source, d.filter,
          d.destination, d.strides, d.dilations, d.pad_before, d.pad_after, OnednnAttr()};
}

// oneDNN's first choice, but where input channels are few: there it makes many small matrix products
// (brgconv), and its older loops take 0.7 to 0.9 of their time (measured with AVX-512, 8 to 32
// input and 32 to 64 output channels on 4 x 4 to 16 x 16 pixels).
dnnl::convolution_forward::primitive_desc FastForwardDesc(const ConvDescs& d,
                                                          const ConvDimensions& dims) {
  constexpr int64_t kFew = 32;
  auto first = ForwardDesc(d);
  const std::string products = "brgconv:";
  const std::string name = first.impl_info_str();
  if (dims.groups > 1 || dims.in_channels > kFew || dims.out_channels < kFew ||
      name.compare(0, products.size(), products) != 0) {
    return first;
  }
  const std::string loops = "jit:" + name.substr(products.size());
  auto other = ForwardDesc(d);  // no copy: next_impl would move both on
  while (other.next_impl()) {
    if (loops == other.impl_info_str()) return other;
  }
  return first;
}

OnednnPrimitive MakeReorder(const Desc& from, const Desc& to, bool adds) {
  dnnl::primitive_attr attr = OnednnAttr();
  if (adds) {
    dnnl::post_ops sum;
    sum.append_sum();
    attr.set_post_ops(sum);
  }
  const dnnl::reorder::primitive_desc descriptor(OnednnEngine(), from, OnednnEngine(), to, attr);
  return OnednnPrimitive(dnnl::reorder(descriptor), descriptor);
}

// How much of TileWork takes some tenths of a second in loops of that name. Fast ones make vectors
// of channels, those of matrix products of the channels of one group; "ref" makes none.
double MostWork(const std::string& name, ConvPass pass, const ConvDimensions& dims, DType dtype) {
  constexpr double kSlowLane = 2e7, kLane = 1e8, kMostLanes = 40;
  const auto in_name = [&name](const char* word) { return name.find(word) != std::string::npos; };
  if (in_name("ref")) return kSlowLane;
  const bool products = in_name("gemm");
  const bool of_input = pass == ConvPass::kInput;
  const int64_t channels = of_input ? dims.in_channels : dims.out_channels;
  const double lanes = static_cast<double>(products ? channels / dims.groups : channels);
  double work = std::min(lanes, kMostLanes) * (products ? kSlowLane : kLane);
  // Only "ref" asks for each input and each place of the filter whether they meet.
  if (of_input) work *= static_cast<double>(dims.rows.stride * dims.cols.stride);
  return dtype == DType::kFloat ? work : 8 * work;  // 16-bit: processors with instructions for it
}

}  // namespace

Result<ConvProgram> ConvProgram::Make(ConvPass pass, const ConvDimensions& dims,
                                      const ConvDimensions& whole, DType dtype, bool adds) {
  const Desc source = InputDesc(dims, whole, dtype);
  const Desc destination = OutputDesc(dims, whole, dtype);
  const Desc filter = FilterDesc(dims, dtype);
  const ConvDescs d = MakeDescs(dims, source, filter, destination);
  const auto forward = pass == ConvPass::kForward ? FastForwardDesc(d, dims) : ForwardDesc(d);
  ConvProgram program;
  const auto keep = [&](const dnnl::primitive& made, const auto& descriptor) {
    program.primitive = OnednnPrimitive(made, descriptor);
    program.most_work = MostWork(descriptor.impl_info_str(), pass, dims, dtype);
  };
  if (pass == ConvPass::kForward) {
    keep(dnnl::convolution_forward(forward), forward);
    program.operands = {{{DNNL_ARG_SRC, source, forward.src_desc(), {}},
                         {DNNL_ARG_WEIGHTS, filter, forward.weights_desc(), {}},
                         {DNNL_ARG_DST, destination, forward.dst_desc(), {}}}};
  } else if (pass == ConvPass::kInput) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        OnednnEngine(), kDirect, d.source, d.filter, d.destination, d.strides, d.dilations,
        d.pad_before, d.pad_after, forward, OnednnAttr());
    keep(dnnl::convolution_backward_data(backward), backward);
    program.operands = {{{DNNL_ARG_WEIGHTS, filter, backward.weights_desc(), {}},
                         {DNNL_ARG_DIFF_DST, destination, backward.diff_dst_desc(), {}},
                         {DNNL_ARG_DIFF_SRC, source, backward.diff_src_desc(), {}}}};
  } else {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        OnednnEngine(), kDirect, d.source, d.filter, d.destination, d.strides, d.dilations,
        d.pad_before, d.pad_after, forward, OnednnAttr());
    keep(dnnl::convolution_backward_weights(backward), backward);
    program.operands = {{{DNNL_ARG_SRC, source, backward.src_desc(), {}},
                         {DNNL_ARG_DIFF_DST, destination, backward.diff_dst_desc(), {}},
                         {DNNL_ARG_DIFF_WEIGHTS, filter, backward.diff_weights_desc(), {}}}};
  }
  for (size_t i = 0; i < program.operands.size(); ++i) {
    Operand& operand = program.operands[i];
    const bool added = i == 2 && adds;
    if (operand.stored == operand.wanted && !added) continue;
    operand.reorder = i == 2 ? MakeReorder(operand.wanted, operand.stored, added)
                             : MakeReorder(operand.stored, operand.wanted, false);
  }
  return program;
}

}  // namespace tfbuild
