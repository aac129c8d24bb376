#pragma once

#include <string>
#include <vector>

#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Indices as a kernel may use them: copied, since a fed array may change while a step runs, and
// checked. The tensors lie on the host.

// "indices[1,2]" for a position in a tensor of that shape.
std::string PlaceInIndices(const Shape& shape, int64_t position);

// The elements of a tensor of int16, int32 or int64, each in [0, limit).
Result<std::vector<int64_t>> CheckedIndices(const Tensor& indices, int64_t limit);

// What becomes of coordinates that lie outside of a tensor.
enum class BadIndices { kFail, kIgnore };

// As the node's attribute bad_indices_policy says.
Result<BadIndices> BadIndicesOf(const Node& node);

// A kernel of an op with that attribute.
class NdSlicesKernel : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override;

 protected:
  BadIndices bad_indices_ = BadIndices::kFail;
};

constexpr int64_t kIgnoredSlice = -1;  // where a slice begins that is left out

// Slices of a tensor that the rows of `indices` name by their first coordinates.
struct NdSlices {
  int64_t count = 0;            // how many there are
  std::vector<int64_t> starts;  // of each slice, in elements; empty where each is the whole tensor
  int64_t width = 1;            // elements of one slice
  std::vector<int64_t> dims;    // of all slices together: indices.dims[:-1] + params.dims[depth:]

  int64_t start(int64_t i) const { return starts.empty() ? 0 : starts[static_cast<size_t>(i)]; }
};

// The slices of a tensor of shape `params`; each coordinate is in its dimension, or the slice is one to be
// left out. All coordinates are outside of an empty tensor, which is an error in any case.
Result<NdSlices> CheckedNdSlices(const Tensor& indices, const Shape& params,
                                 BadIndices bad_indices = BadIndices::kFail);

}  // namespace tfbuild
