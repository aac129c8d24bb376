#include "kernels/nn/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "base/parallel.h"
#include "base/parallel_fill.h"
#include "base/stop.h"
#include "kernels/framework/convert.h"

namespace tfbuild {
namespace {

constexpr int64_t kFilterSumGrain = 65536;

Status RunReorder(OpKernelContext* context, const OnednnPrimitive& reorder,
                  const dnnl::memory::desc& from, const void* from_data,
                  const dnnl::memory::desc& to, void* to_data) {
  return RunOnednn(context, reorder,
                   {{DNNL_ARG_FROM, from, from_data}, {DNNL_ARG_TO, to, to_data}});
}

std::vector<int64_t> KeyOf(const ConvDimensions& dims, const ConvDimensions& whole, bool adds) {
  std::vector<int64_t> key = {dims.batch, dims.in_channels, dims.out_channels, dims.groups,
                              whole.rows.input, whole.cols.input, whole.rows.output,
                              whole.cols.output, adds};
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

// Less work than this takes no second, however slow the loops are that oneDNN has for it.
constexpr double kNeverLong = 4e7;

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

// The filter in the layout that the program wants, in `memory` where it is another one.
Status Convolution::ArrangeFilter(OpKernelContext* context, const Program& program,
                                  const void** filter, Tensor* memory) const {
  const ConvProgram::Operand& operand = program.operands[FilterOf(pass_)];
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
    const ConvProgram::Operand& operand = program.operands[i];
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
  const double work = ConvWork(dims);
  ConvDimensions some = dims;
  if (pass_ == ConvPass::kFilter && dtype == DType::kFloat) {
    some.batch = ImagesOfShortPart(dims, work);
  }
  const bool sums = some.batch < dims.batch;
  if (!sums) some.batch = ImagesOfPart(pass_, dims, work);
  const bool parts = !sums && some.batch < dims.batch;
  ASSIGN_OR_RETURN(const bool is_long, IsLong(some, parts ? 0 : ConvWork(some), dtype));
  if (is_long) {
    RETURN_IF_ERROR(RunLong(context, dims, dtype, data));
  } else if (sums) {
    RETURN_IF_ERROR(SumParts(context, dims, some, work, data));
  } else if (parts) {
    return RunParts(context, dims, some, dtype, data, then);
  } else {
    RETURN_IF_ERROR(RunWhole(context, dims, work, dtype, data));
  }
  if (then != nullptr) then->RunAll();
  return OkStatus();
}

// Whether one run of the program for `dims`, on the team for `team_work`, would take too long.
Result<bool> Convolution::IsLong(const ConvDimensions& dims, double team_work, DType dtype) {
  const double work = TileWork(pass_, dims);
  if (work <= kNeverLong) return false;
  const IntraOpTeam team(team_work);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   Find(team, dims, dims, dtype, false));
  return work > 2 * program->most_work;
}

Result<std::shared_ptr<const Convolution::Program>> Convolution::Find(const IntraOpTeam& team,
                                                                      const ConvDimensions& dims,
                                                                      const ConvDimensions& whole,
                                                                      DType dtype, bool adds) {
  return cache_.FindOrMake(team, KeyOf(dims, whole, adds),
                           [&] { return ConvProgram::Make(pass_, dims, whole, dtype, adds); });
}

// What would take seconds, one tile after the other. The gradient of a filter is a sum over them.
Status Convolution::RunLong(OpKernelContext* context, const ConvDimensions& dims, DType dtype,
                            const std::array<const void*, 3>& data) {
  const std::array<int64_t, 3> sizes = ConvOperandSizes(pass_, dims);
  if (dtype == DType::kFloat || pass_ == ConvPass::kForward) {
    ParallelZero(const_cast<void*>(data[2]), sizes[2] * DTypeSize(dtype));
    return RunTile(context, ConvTile{dims}, dims, dtype, data);
  }
  const auto as_float = [&](auto type) {
    using T = decltype(type);
    return RunAsFloat(context, dims, static_cast<const T*>(data[0]),
                      static_cast<const T*>(data[1]),
                      static_cast<T*>(const_cast<void*>(data[2])));
  };
  return dtype == DType::kHalf ? as_float(Half()) : as_float(BFloat16());
}

// Cuts the tile again where the loops that oneDNN has for its size would take long.
Status Convolution::RunTile(OpKernelContext* context, const ConvTile& tile,
                            const ConvDimensions& whole, DType dtype,
                            const std::array<const void*, 3>& data) {
  ThrowIfStopped();
  const double work = TileWork(pass_, tile.dims);
  double most_work = 0;
  {
    const IntraOpTeam team(work);
    ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                     Find(team, tile.dims, whole, dtype, pass_ == ConvPass::kFilter));
    most_work = program->most_work;
    if (work <= 2 * most_work || IsPixel(pass_, tile)) {
      std::array<const void*, 3> here = data;
      const auto move = [&](size_t i, int64_t elements) {
        here[i] = static_cast<const char*>(data[i]) + elements * DTypeSize(dtype);
      };
      move(pass_ == ConvPass::kInput ? 2 : 0, tile.input_at);
      move(pass_ == ConvPass::kForward ? 2 : 1, tile.output_at);
      return RunProgram(context, *program, here, false);
    }
  }
  for (const ConvTile& part : TilesOf(pass_, tile, whole, most_work)) {
    RETURN_IF_ERROR(RunTile(context, part, whole, dtype, data));
  }
  return OkStatus();
}

Status Convolution::RunWhole(OpKernelContext* context, const ConvDimensions& dims, double work,
                             DType dtype, const std::array<const void*, 3>& data) {
  IntraOpTeam team(work);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   Find(team, dims, dims, dtype, false));
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
    return Find(alone, some, some, dtype, false);
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
    ParallelFill(result, sizes[2], T(0));  // sums over nothing
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
