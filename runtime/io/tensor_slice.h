#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace tfbuild {

// A part of a tensor: where it begins and how long it is along each axis.
struct TensorSlice {
  struct Extent {
    static constexpr int64_t kAll = -1;  // a length: all that there is
    int64_t start = 0;
    int64_t length = kAll;
  };
  std::vector<Extent> extents;

  static TensorSlice Whole(int rank) { return {std::vector<Extent>(static_cast<size_t>(rank))}; }
  // TensorFlow's text, such as "0,2:-": start and length, or - for all, of each axis.
  static Result<TensorSlice> Parse(std::string_view text);
  // TensorFlow's message TensorSliceProto.
  static Result<TensorSlice> ParseMessage(std::string_view message);
  std::string SerializeMessage() const;

  // The shape of the part of a tensor of that shape; InvalidArgument unless it lies inside.
  Result<Shape> ShapeIn(const Shape& shape) const;
  // As it is, but with numbers for all; the slice must lie inside of the shape.
  TensorSlice In(const Shape& shape) const;
  bool IsWhole() const;
  std::string ToString() const;
};

// What a saved tensor is of: "" for a whole one, or "4 10 0,2:-", the shape of the whole and the slice.
struct SliceSpec {
  bool is_whole = true;
  Shape full_shape;
  TensorSlice slice;
  static Result<SliceSpec> Parse(std::string_view text);
};

// The key that the data of a slice has in a checkpoint, in TensorFlow's encoding that keeps order.
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// How many elements two parts of a tensor have in common. Slices have numbers only (TensorSlice::In).
int64_t OverlapSize(const TensorSlice& a, const TensorSlice& b);
// Copies them from the tensor of the one to that of the other.
void CopyOverlap(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice,
                 Tensor* to);

}  // namespace tfbuild
