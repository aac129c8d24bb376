#include "kernels/framework/checked_indices.h"

#include "base/stop_look.h"
#include "kernels/framework/shape_inputs.h"
#include "kernels/framework/strided_copy.h"
#include "tensor/limited_product.h"

namespace tfbuild {
namespace {

template <typename Index>
std::vector<int64_t> Copied(const Tensor& indices) {
  const Index* begin = indices.data<Index>();
  return std::vector<int64_t>(begin, begin + indices.num_elements());
}

Result<std::vector<int64_t>> Copied(const Tensor& indices) {
  switch (indices.dtype()) {
    case DType::kInt16: return Copied<int16_t>(indices);
    case DType::kInt32: return Copied<int32_t>(indices);
    case DType::kInt64: return Copied<int64_t>(indices);
    default: return InvalidArgument("indices cannot be of type ", DTypeName(indices.dtype()));
  }
}

}  // namespace

std::string PlaceInIndices(const Shape& shape, int64_t position) {
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int k = shape.rank() - 1; k >= 0; --k) {
    index[static_cast<size_t>(k)] = position % shape.dim(k);
    position /= shape.dim(k);
  }
  return StrCat("indices[", StrJoin(index, ","), "]");
}

Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit) {
  ASSIGN_OR_RETURN(std::vector<int64_t> values, Copied(indices));
  StopLook look;
  for (size_t i = 0; i < values.size(); ++i) {
    look.Turn();
    if (values[i] >= 0 && values[i] < limit) continue;
    return InvalidArgument(PlaceInIndices(indices.shape(), static_cast<int64_t>(i)), " = ",
                           values[i], " is not in [0, ", limit, ")");
  }
  return values;
}

Result<BadIndices> BadIndicesOf(const Node& node) {
  ASSIGN_OR_RETURN(const std::string policy, node.Attr<std::string>("bad_indices_policy"));
  if (policy == "IGNORE") return BadIndices::kIgnore;
  if (policy.empty() || policy == "DEFAULT" || policy == "ERROR") return BadIndices::kFail;
  return InvalidArgument("attribute bad_indices_policy may not be '", policy,
                         "', only one of '', DEFAULT, ERROR, IGNORE");
}

Status NdSlicesKernel::Init(const OpKernelConstruction& construction) {
  ASSIGN_OR_RETURN(bad_indices_, BadIndicesOf(construction.node));
  return OkStatus();
}

namespace {

std::string OutsideOf(const Shape& params, int64_t place, std::vector<int64_t> coordinates) {
  return StrCat("indices[", place, "] = [", StrJoin(coordinates, ", "),
                "] does not index into shape ", params);
}

}  // namespace

Result<NdSlices> CheckedNdSlices(const Tensor& indices, const Shape& params,
                                 BadIndices bad_indices) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector, but their shape is ",
                           indices.shape());
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ", depth,
                           " vs. ", params.rank());
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> values, Copied(indices));
  NdSlices slices;
  slices.dims.assign(indices.shape().dims().begin(), indices.shape().dims().end() - 1);
  const size_t coordinates = static_cast<size_t>(depth);
  slices.dims.insert(slices.dims.end(), params.dims().begin() + depth, params.dims().end());
  slices.width = LimitedProduct(params.dims().begin() + depth, params.dims().end());
  const std::vector<int64_t> strides = DenseStrides(params.dims());
  ASSIGN_OR_RETURN(const Shape whole, Shape::Make(slices.dims));
  // Slices that no coordinate chooses take neither memory nor, where they are empty, time.
  if (depth == 0 && whole.num_elements() == 0) return slices;
  slices.count = LimitedProduct(indices.shape().dims().begin(), indices.shape().dims().end() - 1);
  if (depth == 0) return slices;
  slices.starts.reserve(static_cast<size_t>(slices.count));
  const bool ignores = bad_indices == BadIndices::kIgnore && params.num_elements() > 0;
  StopLook look;
  for (int64_t i = 0; i < slices.count; ++i) {
    look.Turn();
    int64_t start = 0;
    for (size_t k = 0; k < coordinates && start != kIgnoredSlice; ++k) {
      const int64_t at = values[static_cast<size_t>(i) * coordinates + k];
      if (at >= 0 && at < params.dim(static_cast<int>(k))) {
        start += at * strides[k];
      } else if (ignores) {
        start = kIgnoredSlice;
      } else {
        const auto row = values.begin() + i * depth;
        return InvalidArgument(OutsideOf(params, i, {row, row + depth}));
      }
    }
    slices.starts.push_back(start);
  }
  return slices;
}

}  // namespace tfbuild
