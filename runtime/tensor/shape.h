#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tfbuild {

// The largest number of elements and bytes that a tensor may have; products of dimensions are
// checked against it so that a malformed file cannot overflow them.
constexpr int64_t kMaxElements = int64_t{1} << 40;
// As TensorFlow's TensorShape.
constexpr int kMaxRank = 254;

// A row of dimensions. Up to four lie in the object itself, so that a tensor's shape asks for no
// memory.
class Dims {
 public:
  Dims() = default;
  Dims(const int64_t* values, size_t count) : count_(count) {
    if (count > kInline) far_ = std::make_unique<int64_t[]>(count);
    std::copy_n(values, count, far_ ? far_.get() : near_.data());
  }
  // What lies in the object is copied whole: a fixed number of bytes, and no loop.
  Dims(const Dims& other) : count_(other.count_), near_(other.near_) { CopyFar(other); }
  Dims(Dims&& other) noexcept : count_(other.count_), near_(other.near_) { TakeFar(&other); }
  Dims& operator=(const Dims& other) {
    CopyFar(other);
    count_ = other.count_;
    near_ = other.near_;
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    count_ = other.count_;
    near_ = other.near_;
    TakeFar(&other);
    return *this;
  }

  size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const int64_t* data() const { return far_ ? far_.get() : near_.data(); }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + count_; }
  int64_t operator[](size_t i) const { return data()[i]; }
  bool operator==(const Dims& other) const {
    return count_ == other.count_ && std::equal(begin(), end(), other.begin());
  }
  // To be changed.
  operator std::vector<int64_t>() const { return {begin(), end()}; }  // NOLINT: where one is taken

 private:
  static constexpr size_t kInline = 4;
  void CopyFar(const Dims& other) {
    if (this == &other) return;
    far_ = other.far_ ? std::make_unique<int64_t[]>(other.count_) : nullptr;
    if (far_) std::copy_n(other.far_.get(), other.count_, far_.get());
  }
  // Leaves a row without dimensions where something was taken.
  void TakeFar(Dims* other) noexcept {
    far_ = std::move(other->far_);
    if (far_) other->count_ = 0;
  }

  size_t count_ = 0;
  std::array<int64_t, kInline> near_ = {};
  std::unique_ptr<int64_t[]> far_;
};

// The dimensions of a tensor. Never holds a negative dimension or more than kMaxElements.
class Shape {
 public:
  Shape() = default;
  // For dimensions known to be valid; others come through Make.
  Shape(std::initializer_list<int64_t> dims) : dims_(dims.begin(), dims.size()) {
    CountElements();
  }
  static Result<Shape> Make(const std::vector<int64_t>& dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  const Dims& dims() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }
  bool operator==(const Shape& other) const { return dims_ == other.dims_; }
  bool operator!=(const Shape& other) const { return !(*this == other); }
  std::string ToString() const;  // "[2,3]"

 private:
  void CountElements();
  Dims dims_;
  int64_t num_elements_ = 1;
};

// What is known of a shape while a graph is built: nothing, the rank, or the rank and some
// dimensions. kUnknownDim stands for a dimension that is not known.
constexpr int64_t kUnknownDim = -1;

class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(std::vector<int64_t> dims) : known_rank_(true), dims_(std::move(dims)) {}  // NOLINT
  PartialShape(std::initializer_list<int64_t> dims) : known_rank_(true), dims_(dims) {}
  PartialShape(const Shape& shape) : PartialShape(shape.dims()) {}  // NOLINT: widening

  static PartialShape UnknownOfRank(int rank) {
    return PartialShape(std::vector<int64_t>(static_cast<size_t>(rank), kUnknownDim));
  }

  bool known_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return dims_[static_cast<size_t>(i)]; }
  const std::vector<int64_t>& dims() const { return dims_; }
  bool fully_known() const;
  // Product of the dimensions, or kUnknownDim.
  int64_t num_elements() const;
  // The shape; an error unless fully known and valid.
  Result<Shape> ToShape() const;
  bool CompatibleWith(const PartialShape& other) const;
  // What is known from both; InvalidArgument when they contradict each other.
  Result<PartialShape> MergeWith(const PartialShape& other) const;
  bool operator==(const PartialShape& other) const {
    return known_rank_ == other.known_rank_ && dims_ == other.dims_;
  }
  std::string ToString() const;  // "<unknown>", "[?,3]"

 private:
  bool known_rank_ = false;
  std::vector<int64_t> dims_;
};

// The shape that two operands broadcast to by NumPy's rule; dimensions of size 1 stretch.
Result<Shape> BroadcastShapes(const Shape& a, const Shape& b);
Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b);

}  // namespace tfbuild
