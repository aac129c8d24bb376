#include "kernels/nn/convolution.h"

#include <algorithm>
#include <type_traits>

#include "kernels/framework/convert.h"

namespace tfbuild {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

// The tensor's layout in oneDNN's order batch, channels, rows, columns.
Desc ImageDesc(const ConvDimensions& dims, int64_t channels, int64_t rows, int64_t cols,
               DType dtype) {
  const auto tag = dims.format == DataFormat::kNHWC ? dnnl::memory::format_tag::nhwc
                                                    : dnnl::memory::format_tag::nchw;
  return Desc({dims.batch, channels, rows, cols}, OnednnType(dtype), tag);
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

// A description that leaves the layout to the primitive. Images keep channels last, where oneDNN
// is as fast as in any layout; the filter, which is small, always takes the primitive's.
Desc Flexible(const Desc& stored, bool keep) {
  return keep ? stored
              : Desc(stored.get_dims(), stored.get_data_type(), dnnl::memory::format_tag::any);
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

OnednnPrimitive MakeReorder(const Desc& from, const Desc& to) {
  const dnnl::reorder::primitive_desc descriptor(OnednnEngine(), from, OnednnEngine(), to,
                                                 OnednnAttr());
  return OnednnPrimitive(dnnl::reorder(descriptor), descriptor);
}

Status RunReorder(OpKernelContext* context, const OnednnPrimitive& reorder, const Desc& from,
                  const void* from_data, const Desc& to, void* to_data) {
  return RunOnednn(context, reorder,
                   {{DNNL_ARG_FROM, from, from_data}, {DNNL_ARG_TO, to, to_data}});
}

std::vector<int64_t> KeyOf(const ConvDimensions& dims) {
  std::vector<int64_t> key = {dims.batch, dims.in_channels, dims.out_channels, dims.groups};
  for (const Window* window : {&dims.rows, &dims.cols}) {
    key.insert(key.end(), {window->input, window->filter, window->stride, window->dilation,
                           window->pad_before, window->pad_after});
  }
  return key;
}

}  // namespace

std::array<int64_t, 3> ConvOperandSizes(ConvPass pass, const ConvDimensions& dims) {
  const int64_t input = dims.input_shape().num_elements();
  const int64_t output = dims.output_shape().num_elements();
  const int64_t filter = dims.rows.filter * dims.cols.filter * dims.in_channels / dims.groups *
                         dims.out_channels;
  switch (pass) {
    case ConvPass::kForward: return {input, filter, output};
    case ConvPass::kInput: return {filter, output, input};
    default: return {input, output, filter};
  }
}

Result<Convolution::Program> Convolution::MakeProgram(ConvPass pass, const ConvDimensions& dims,
                                                      DType dtype) {
  const Desc source = ImageDesc(dims, dims.in_channels, dims.rows.input, dims.cols.input, dtype);
  const Desc destination =
      ImageDesc(dims, dims.out_channels, dims.rows.output, dims.cols.output, dtype);
  const Desc filter = FilterDesc(dims, dtype);
  const ConvDescs d = MakeDescs(dims, source, filter, destination);
  const auto forward = ForwardDesc(d);
  Program program;
  if (pass == ConvPass::kForward) {
    program.primitive = OnednnPrimitive(dnnl::convolution_forward(forward), forward);
    program.operands = {{{DNNL_ARG_SRC, source, forward.src_desc(), {}},
                         {DNNL_ARG_WEIGHTS, filter, forward.weights_desc(), {}},
                         {DNNL_ARG_DST, destination, forward.dst_desc(), {}}}};
  } else if (pass == ConvPass::kInput) {
    const dnnl::convolution_backward_data::primitive_desc backward(
        OnednnEngine(), kDirect, d.source, d.filter, d.destination, d.strides, d.dilations,
        d.pad_before, d.pad_after, forward, OnednnAttr());
    program.primitive = OnednnPrimitive(dnnl::convolution_backward_data(backward), backward);
    program.operands = {{{DNNL_ARG_WEIGHTS, filter, backward.weights_desc(), {}},
                         {DNNL_ARG_DIFF_DST, destination, backward.diff_dst_desc(), {}},
                         {DNNL_ARG_DIFF_SRC, source, backward.diff_src_desc(), {}}}};
  } else {
    const dnnl::convolution_backward_weights::primitive_desc backward(
        OnednnEngine(), kDirect, d.source, d.filter, d.destination, d.strides, d.dilations,
        d.pad_before, d.pad_after, forward, OnednnAttr());
    program.primitive = OnednnPrimitive(dnnl::convolution_backward_weights(backward), backward);
    program.operands = {{{DNNL_ARG_SRC, source, backward.src_desc(), {}},
                         {DNNL_ARG_DIFF_DST, destination, backward.diff_dst_desc(), {}},
                         {DNNL_ARG_DIFF_WEIGHTS, filter, backward.diff_weights_desc(), {}}}};
  }
  for (size_t i = 0; i < program.operands.size(); ++i) {
    Operand& operand = program.operands[i];
    if (operand.stored == operand.wanted) continue;
    operand.reorder = i == 2 ? MakeReorder(operand.wanted, operand.stored)
                             : MakeReorder(operand.stored, operand.wanted);
  }
  return program;
}

Status Convolution::RunOnednnConv(OpKernelContext* context, const ConvDimensions& dims,
                                  DType dtype, const void* first, const void* second,
                                  void* result) {
  const double per_pixel = static_cast<double>(dims.rows.filter * dims.cols.filter) *
                           static_cast<double>(dims.in_channels / dims.groups);
  IntraOpTeam team(per_pixel * static_cast<double>(dims.output_shape().num_elements()));
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   cache_.FindOrMake(team, KeyOf(dims),
                                     [&] { return MakeProgram(pass_, dims, dtype); }));
  std::array<const void*, 3> data = {first, second, result};
  std::array<Tensor, 3> reordered;
  for (size_t i = 0; i < data.size(); ++i) {
    const Operand& operand = program->operands[i];
    if (!operand.reorder.primitive) continue;
    const int64_t bytes = static_cast<int64_t>(operand.wanted.get_size());
    ASSIGN_OR_RETURN(reordered[i], context->AllocateTemp(DType::kUint8, Shape{bytes}));
    if (i < 2) {
      RETURN_IF_ERROR(RunReorder(context, operand.reorder, operand.stored, data[i],
                                 operand.wanted, reordered[i].raw()));
    }
    data[i] = reordered[i].raw();
  }
  const auto& operands = program->operands;
  RETURN_IF_ERROR(RunOnednn(context, program->primitive,
                            {{operands[0].id, operands[0].wanted, data[0]},
                             {operands[1].id, operands[1].wanted, data[1]},
                             {operands[2].id, operands[2].wanted, data[2]}}));
  if (!operands[2].reorder.primitive) return OkStatus();
  return RunReorder(context, operands[2].reorder, operands[2].wanted, data[2],
                    operands[2].stored, result);
}

template <typename T>
Status Convolution::RunAsFloat(OpKernelContext* context, const ConvDimensions& dims,
                               const T* first, const T* second, T* result) {
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, dims);
  std::array<Tensor, 3> wide;
  for (size_t i = 0; i < wide.size(); ++i) {
    ASSIGN_OR_RETURN(wide[i], context->AllocateTemp(DType::kFloat, Shape{sizes[i]}));
  }
  ConvertElements(first, sizes[0], wide[0].mutable_data<float>());
  ConvertElements(second, sizes[1], wide[1].mutable_data<float>());
  RETURN_IF_ERROR(RunOnednnConv(context, dims, DType::kFloat, wide[0].raw(), wide[1].raw(),
                                wide[2].raw()));
  ConvertElements(wide[2].data<float>(), sizes[2], result);
  return OkStatus();
}

template <typename T>
Status Convolution::RunPass(OpKernelContext* context, const ConvDimensions& dims, const T* first,
                            const T* second, T* result) {
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, dims);
  if (sizes[2] == 0) return OkStatus();
  if (sizes[0] == 0 || sizes[1] == 0) {
    std::fill_n(result, sizes[2], T(0));  // sums over nothing
    return OkStatus();
  }
  if constexpr (std::is_same_v<T, double>) {
    return RunConvLoops(context, pass_, dims, first, second, result);
  } else {
    if (!OnednnIsNative(DTypeOf<T>::value)) {
      return RunAsFloat(context, dims, first, second, result);
    }
    return RunOnednnConv(context, dims, DTypeOf<T>::value, first, second, result);
  }
}

#define INSTANTIATE(T)                                                                         \
  template Status Convolution::RunPass<T>(OpKernelContext*, const ConvDimensions&, const T*,   \
                                          const T*, T*);
TFBUILD_FLOATING_TYPES(INSTANTIATE)
#undef INSTANTIATE

}  // namespace tfbuild
