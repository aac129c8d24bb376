#include "tensor/shape.h"

#include <algorithm>

namespace tfbuild {
namespace {

template <typename Row>
std::string DimsToString(const Row& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ",";
    text += dims[i] == kUnknownDim ? "?" : StrCat(dims[i]);
  }
  return text + "]";
}

}  // namespace

Result<Shape> Shape::Make(const std::vector<int64_t>& dims) {
  if (dims.size() > kMaxRank) {
    return InvalidArgument("a shape may have ", kMaxRank, " dimensions, not ", dims.size());
  }
  int64_t elements = 1;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("negative dimension in shape ", DimsToString(dims));
    if (dim > kMaxElements) {  // in an empty shape too, so that sums of dimensions cannot overflow
      return InvalidArgument("shape ", DimsToString(dims), " has too many elements");
    }
    empty = empty || dim == 0;
  }
  for (const int64_t dim : dims) {
    if (empty) break;
    if (dim > kMaxElements / elements) {
      return InvalidArgument("shape ", DimsToString(dims), " has too many elements");
    }
    elements *= dim;
  }
  Shape shape;
  shape.dims_ = Dims(dims.data(), dims.size());
  shape.CountElements();
  return shape;
}

void Shape::CountElements() {
  num_elements_ = 1;
  for (const int64_t dim : dims_) {
    if (dim == 0) {
      num_elements_ = 0;
      return;
    }
  }
  for (const int64_t dim : dims_) num_elements_ *= dim;
}

std::string Shape::ToString() const { return DimsToString(dims_); }

bool PartialShape::fully_known() const {
  return known_rank_ && std::find(dims_.begin(), dims_.end(), kUnknownDim) == dims_.end();
}

int64_t PartialShape::num_elements() const {
  const Result<Shape> shape = ToShape();
  return shape.ok() ? shape->num_elements() : kUnknownDim;
}

Result<Shape> PartialShape::ToShape() const {
  if (!fully_known()) return InvalidArgument("shape ", ToString(), " is not fully known");
  return Shape::Make(dims_);
}

bool PartialShape::CompatibleWith(const PartialShape& other) const {
  return MergeWith(other).ok();
}

Result<PartialShape> PartialShape::MergeWith(const PartialShape& other) const {
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  PartialShape merged = *this;
  bool contradicts = rank() != other.rank();
  for (size_t i = 0; !contradicts && i < dims_.size(); ++i) {
    if (dims_[i] == kUnknownDim) merged.dims_[i] = other.dims_[i];
    contradicts = other.dims_[i] != kUnknownDim && merged.dims_[i] != other.dims_[i];
  }
  if (contradicts) {
    return InvalidArgument("shapes ", ToString(), " and ", other.ToString(), " are incompatible");
  }
  return merged;
}

std::string PartialShape::ToString() const {
  return known_rank_ ? DimsToString(dims_) : "<unknown>";
}

Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(static_cast<size_t>(rank));
  for (int i = 0; i < rank; ++i) {
    const int64_t x = i < rank - a.rank() ? 1 : a.dim(i - (rank - a.rank()));
    const int64_t y = i < rank - b.rank() ? 1 : b.dim(i - (rank - b.rank()));
    const bool both_known = x != kUnknownDim && y != kUnknownDim;
    if (both_known && x != y && x != 1 && y != 1) {
      return InvalidArgument("shapes ", a, " and ", b, " cannot be broadcast together");
    }
    // A dimension of 1 stretches to the other; an unknown one must fit a known one beyond 1.
    dims[static_cast<size_t>(i)] = x == 1 || (x == kUnknownDim && y != 1) ? y : x;
  }
  return PartialShape(std::move(dims));
}

Result<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  if (a == b || b.rank() == 0) return a;  // what most calls are, without asking for memory
  if (a.rank() == 0) return b;
  ASSIGN_OR_RETURN(const PartialShape shape, BroadcastShapes(PartialShape(a), PartialShape(b)));
  return shape.ToShape();
}

}  // namespace tfbuild
