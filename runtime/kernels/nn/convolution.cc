#include "kernels/nn/convolution.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "base/parallel.h"
#include "base/stop.h"
#include "kernels/framework/convert.h"

namespace tfbuild {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;

constexpr int64_t kFilterSumGrain = 65536;

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

// Which operand of the pass is the filter.
size_t FilterOf(ConvPass pass) {
  return pass == ConvPass::kForward ? 1 : pass == ConvPass::kInput ? 0 : 2;
}

// How many images take about a tenth of a second: between two such parts a step can be ended.
int64_t ImagesOfShortPart(const ConvDimensions& dims, double work) {
  constexpr double kWorkOfPart = 4e9;
  const double parts = std::max(1.0, std::ceil(work / kWorkOfPart));
  return std::max<int64_t>(1, dims.batch / static_cast<int64_t>(parts));
}

// How many images one part of the work has: as many as all of them where it is one part. Parts have
// the same size, and so the same program. The gradient of a filter is a sum over the images: that is
// SumParts'.
int64_t ImagesOfPart(ConvPass pass, const ConvDimensions& dims, double work) {
  constexpr int64_t kPartsOfThread = 2;
  // About 10 microseconds of one thread: helpers that look out for loops begin at once, unlike a team.
  constexpr double kWorthHelper = 1 << 19;
  const int64_t threads = MaxThreads();
  if (pass == ConvPass::kFilter) return dims.batch;
  const bool alone = threads == 1 || work < kWorthHelper || dims.batch < threads;
  int64_t images = alone ? dims.batch : std::max<int64_t>(1, dims.batch / (kPartsOfThread * threads));
  images = std::min(images, ImagesOfShortPart(dims, work));
  while (dims.batch % images != 0) --images;
  return images;
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
  const auto forward = pass == ConvPass::kForward ? FastForwardDesc(d, dims) : ForwardDesc(d);
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

// The filter in the layout that the program wants, in `memory` where it is another one.
Status Convolution::ArrangeFilter(OpKernelContext* context, const Program& program,
                                  const void** filter, Tensor* memory) const {
  const Operand& operand = program.operands[FilterOf(pass_)];
  if (!operand.reorder.primitive) return OkStatus();
  const int64_t bytes = static_cast<int64_t>(operand.wanted.get_size());
  ASSIGN_OR_RETURN(*memory, context->AllocateTemp(DType::kUint8, Shape{bytes}));
  RETURN_IF_ERROR(RunReorder(context, operand.reorder, operand.stored, *filter, operand.wanted,
                             memory->raw()));
  *filter = memory->raw();
  return OkStatus();
}

// Operands as the tensors hold them, but for a filter that may have been arranged.
Status Convolution::RunProgram(OpKernelContext* context, const Program& program,
                               std::array<const void*, 3> data, bool arranged) const {
  std::array<Tensor, 3> reordered;
  void* const result = const_cast<void*>(data[2]);
  for (size_t i = 0; i < data.size(); ++i) {
    const Operand& operand = program.operands[i];
    if (!operand.reorder.primitive || (arranged && i == FilterOf(pass_))) continue;
    const int64_t bytes = static_cast<int64_t>(operand.wanted.get_size());
    ASSIGN_OR_RETURN(reordered[i], context->AllocateTemp(DType::kUint8, Shape{bytes}));
    if (i < 2) {
      RETURN_IF_ERROR(RunReorder(context, operand.reorder, operand.stored, data[i],
                                 operand.wanted, reordered[i].raw()));
    }
    data[i] = reordered[i].raw();
  }
  const auto& operands = program.operands;
  RETURN_IF_ERROR(RunOnednn(context, program.primitive,
                            {{operands[0].id, operands[0].wanted, data[0]},
                             {operands[1].id, operands[1].wanted, data[1]},
                             {operands[2].id, operands[2].wanted, data[2]}}));
  if (!operands[2].reorder.primitive) return OkStatus();
  return RunReorder(context, operands[2].reorder, operands[2].wanted, data[2],
                    operands[2].stored, result);
}

Status Convolution::RunOnednnConv(OpKernelContext* context, const ConvDimensions& dims,
                                  DType dtype, std::array<const void*, 3> data,
                                  const ElementRun* then) {
  const double per_pixel = static_cast<double>(dims.rows.filter * dims.cols.filter) *
                           static_cast<double>(dims.in_channels / dims.groups);
  const double work = per_pixel * static_cast<double>(dims.output_shape().num_elements());
  ConvDimensions some = dims;
  if (pass_ == ConvPass::kFilter && dtype == DType::kFloat) {
    some.batch = ImagesOfShortPart(dims, work);
    if (some.batch < dims.batch) return SumParts(context, dims, some, work, data);
  }
  some.batch = ImagesOfPart(pass_, dims, work);
  if (some.batch < dims.batch) return RunParts(context, dims, some, dtype, data, then);
  RETURN_IF_ERROR(RunWhole(context, dims, work, dtype, data));
  if (then != nullptr) then->RunAll();
  return OkStatus();
}

Status Convolution::RunWhole(OpKernelContext* context, const ConvDimensions& dims, double work,
                             DType dtype, const std::array<const void*, 3>& data) {
  IntraOpTeam team(work);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   cache_.FindOrMake(team, KeyOf(dims),
                                     [&] { return MakeProgram(pass_, dims, dtype); }));
  return RunProgram(context, *program, data, false);
}

// The gradient of a filter from `some` images at a time, one part after the other.
Status Convolution::SumParts(OpKernelContext* context, const ConvDimensions& dims,
                             ConvDimensions some, double work,
                             const std::array<const void*, 3>& data) {
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, some);
  const int64_t most = some.batch;
  ASSIGN_OR_RETURN(Tensor part, context->AllocateTemp(DType::kFloat, Shape{sizes[2]}));
  float* const sum = static_cast<float*>(const_cast<void*>(data[2]));
  for (int64_t first = 0; first < dims.batch; first += some.batch) {
    ThrowIfStopped();
    some.batch = std::min(most, dims.batch - first);
    std::array<const void*, 3> here = data;
    for (size_t i = 0; i < 2; ++i) {
      here[i] = static_cast<const float*>(data[i]) + first * (sizes[i] / most);
    }
    if (first > 0) here[2] = part.raw();
    const double share = static_cast<double>(some.batch) / static_cast<double>(dims.batch);
    RETURN_IF_ERROR(RunWhole(context, some, work * share, DType::kFloat, here));
    if (first == 0) continue;
    const float* const added = part.data<float>();
    ParallelFor(sizes[2], kFilterSumGrain, [sum, added](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum[i] += added[i];
    });
  }
  return OkStatus();
}

// Some images at a time, each part on whatever thread is free.
Status Convolution::RunParts(OpKernelContext* context, const ConvDimensions& dims,
                             const ConvDimensions& some, DType dtype,
                             std::array<const void*, 3> data, const ElementRun* then) {
  const auto program_of = [&](const IntraOpTeam& alone) {
    return cache_.FindOrMake(alone, KeyOf(some), [&] { return MakeProgram(pass_, some, dtype); });
  };
  Tensor filter;
  {
    const IntraOpTeam alone(0);
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program, program_of(alone));
    RETURN_IF_ERROR(ArrangeFilter(context, *program, &data[FilterOf(pass_)], &filter));
  }
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, some);
  return RunAlone(dims.batch / some.batch, [&](const IntraOpTeam& alone, int64_t part) -> Status {
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program, program_of(alone));
    std::array<const void*, 3> here = data;
    for (size_t i = 0; i < here.size(); ++i) {
      if (i == FilterOf(pass_)) continue;
      here[i] = static_cast<const char*>(data[i]) + part * sizes[i] * DTypeSize(dtype);
    }
    RETURN_IF_ERROR(RunProgram(context, *program, here, true));
    if (then != nullptr) then->Run(part * sizes[2], (part + 1) * sizes[2]);
    return OkStatus();
  });
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
  RETURN_IF_ERROR(RunOnednnConv(context, dims, DType::kFloat,
                                {wide[0].raw(), wide[1].raw(), wide[2].raw()}, nullptr));
  ConvertElements(wide[2].data<float>(), sizes[2], result);
  return OkStatus();
}

template <typename T>
Status Convolution::Run(OpKernelContext* context, const ConvDimensions& dims, const T* first,
                        const T* second, T* result, const ElementRun* then) {
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, dims);
  if (sizes[2] == 0) return OkStatus();
  if (sizes[0] == 0 || sizes[1] == 0) {
    std::fill_n(result, sizes[2], T(0));  // sums over nothing
  } else if constexpr (std::is_same_v<T, double>) {
    RETURN_IF_ERROR(RunConvLoops(context, pass_, dims, first, second, result));
  } else {
    if (OnednnIsNative(DTypeOf<T>::value)) {
      return RunOnednnConv(context, dims, DTypeOf<T>::value, {first, second, result}, then);
    }
    RETURN_IF_ERROR(RunAsFloat(context, dims, first, second, result));
  }
  if (then != nullptr) then->RunAll();
  return OkStatus();
}

#define INSTANTIATE(T)                                                                       \
  template Status Convolution::Run<T>(OpKernelContext*, const ConvDimensions&, const T*,     \
                                      const T*, T*, const ElementRun*);
TFBUILD_FLOATING_TYPES(INSTANTIATE)
#undef INSTANTIATE

}  // namespace tfbuild
