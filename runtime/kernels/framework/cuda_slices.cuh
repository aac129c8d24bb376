#pragma once

// Slices of a tensor that coordinates name, on a GPU. The twin of checked_indices.h.

#include <utility>
#include <vector>

#include "kernels/framework/checked_indices.h"
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/framework/strided_copy.h"

namespace tfbuild {

constexpr int kMaxDepth = 8;

// Slices of `width` elements, named by `depth` coordinates each.
struct Slices {
  int depth = 0;
  int64_t dims[kMaxDepth] = {};
  int64_t strides[kMaxDepth] = {};
  int64_t count = 1;
  Divider width;

  // Where the slice that row i of `indices` names begins, or kNowhere.
  template <typename Index>
  __device__ int64_t Start(const Index* indices, int64_t i, const IndexCheck& check) const {
    int64_t start = 0;
#pragma unroll 1
    for (int k = 0; k < depth; ++k) {
      const int64_t at = static_cast<int64_t>(indices[i * depth + k]);
      if (at < 0 || at >= dims[k]) {
        check.Report(i, at, dims[k]);
        return kNowhere;
      }
      start += at * strides[k];
    }
    return start;
  }
};

// A kernel of an op whose attribute bad_indices_policy says what becomes of coordinates outside.
class CudaNdSlicesKernel : public NdSlicesKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    RETURN_IF_ERROR(NdSlicesKernel::Init(construction));
    check_ = IndexCheck(construction, "indices");
    if (bad_indices_ == BadIndices::kIgnore) check_.Ignore();
    return OkStatus();
  }

 protected:
  IndexCheck check_;
};

// The slices of a tensor of shape `params`, and the shape of all of them together.
inline Result<Slices> MakeSlices(const Shape& indices, const Shape& params, Shape* together) {
  if (indices.rank() < 1) {
    return InvalidArgument("indices must be at least a vector, but their shape is ", indices);
  }
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth > params.rank()) {
    return InvalidArgument("index innermost dimension length must be <= params rank; saw: ", depth,
                           " vs. ", params.rank());
  }
  if (depth > kMaxDepth) {
    return Unimplemented("slices with more than ", kMaxDepth, " coordinates on a GPU");
  }
  Slices slices;
  slices.depth = static_cast<int>(depth);
  const std::vector<int64_t> strides = DenseStrides(params.dims());
  for (int k = 0; k < slices.depth; ++k) {
    slices.dims[k] = params.dim(k);
    slices.strides[k] = strides[static_cast<size_t>(k)];
  }
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  for (const int64_t dim : dims) slices.count *= dim;
  int64_t width = 1;
  for (int k = slices.depth; k < params.rank(); ++k) width *= params.dim(k);
  slices.width = Divider(width);
  dims.insert(dims.end(), params.dims().begin() + depth, params.dims().end());
  ASSIGN_OR_RETURN(*together, Shape::Make(std::move(dims)));
  return slices;
}

}  // namespace tfbuild
