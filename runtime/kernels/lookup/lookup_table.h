#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/framework/resource_manager.h"
#include "tensor/tensor.h"

namespace tfbuild {

// Values by keys, which a session keeps as long as it lives. Keys and values are held as bytes, so
// that one class serves all types. Thread-safe.
class LookupTable final : public Resource {
 public:
  static constexpr char kKind[] = "table";

  // What it holds; said by each op that makes the table. InvalidArgument where it holds something
  // else already. A table that is not `mutable_` is filled once, before it is asked.
  Status Declare(DType key, DType value, const Shape& value_shape, bool is_mutable);

  DType key_dtype() const { return key_; }
  DType value_dtype() const { return value_; }
  const Shape& value_shape() const { return value_shape_; }
  Status CheckTypes(DType key, DType value) const;

  // Fills a table that is filled once. A second time is no error if there are as many keys.
  Status Initialize(const Tensor& keys, const Tensor& values);
  // Adds keys, or gives them other values; where `only`, all others are gone.
  Status Insert(const Tensor& keys, const Tensor& values, bool only);
  Status Remove(const Tensor& keys);
  // Writes the value of each key, or the default: one value, or one for each key.
  Status Find(const Tensor& keys, const Tensor& otherwise, Tensor* values) const;
  Result<int64_t> Size() const;
  // Everything; `make(i, shape)` gives the tensors, 0 for keys and 1 for values.
  template <typename Make>
  Status ExportTo(const Make& make) const {
    std::lock_guard<std::mutex> lock(mutex_);
    RETURN_IF_ERROR(CheckReady());
    const int64_t count = static_cast<int64_t>(places_.size());
    std::vector<int64_t> dims{count};
    ASSIGN_OR_RETURN(Tensor * keys, make(0, Shape{count}));
    for (const int64_t dim : value_shape_.dims()) dims.push_back(dim);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * values, make(1, shape));
    CopyOut(keys, values);
    return OkStatus();
  }

 private:
  using Entry = std::pair<std::string, std::vector<std::string>>;
  Status CheckReady() const;
  Status CheckPairs(const Tensor& keys, const Tensor& values) const;
  void CopyOut(Tensor* keys, Tensor* values) const;
  std::vector<std::string> RowAt(const Tensor& values, int64_t row) const;

  mutable std::mutex mutex_;
  DType key_ = DType::kInvalid;
  DType value_ = DType::kInvalid;
  Shape value_shape_;
  bool mutable_ = false;
  bool filled_ = false;
  std::unordered_map<std::string, size_t> places_;
  std::vector<Entry> entries_;  // without order once keys were removed
};

}  // namespace tfbuild
