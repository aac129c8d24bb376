#include "kernels/lookup/lookup_table.h"

#include <cstring>

#include "base/stop_look.h"

namespace tfbuild {
namespace {

// Element i as bytes.
std::string BytesAt(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kString) return tensor.data<std::string>()[i];
  const size_t size = static_cast<size_t>(DTypeSize(tensor.dtype()));
  return {static_cast<const char*>(tensor.raw()) + static_cast<size_t>(i) * size, size};
}

void SetBytes(const std::string& bytes, Tensor* tensor, int64_t i) {
  if (tensor->dtype() == DType::kString) {
    tensor->mutable_data<std::string>()[i] = bytes;
  } else {
    std::memcpy(static_cast<char*>(tensor->raw()) + static_cast<size_t>(i) * bytes.size(),
                bytes.data(), bytes.size());
  }
}

}  // namespace

Status LookupTable::Declare(DType key, DType value, const Shape& value_shape, bool is_mutable) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (key_ == DType::kInvalid) {
    key_ = key;
    value_ = value;
    value_shape_ = value_shape;
    mutable_ = is_mutable;
  }
  if (mutable_ != is_mutable || value_shape_ != value_shape) {
    return InvalidArgument("a table of that name is there already, and of another kind");
  }
  return CheckTypes(key, value);
}

Status LookupTable::CheckTypes(DType key, DType value) const {
  if (key == key_ && value == value_) return OkStatus();
  return InvalidArgument("Conflicting key/value dtypes ", DTypeName(key), "->", DTypeName(value),
                         " with ", DTypeName(key_), "->", DTypeName(value_), " of the table");
}

Status LookupTable::CheckReady() const {
  if (mutable_ || filled_) return OkStatus();
  return FailedPrecondition("Table not initialized.");
}

Status LookupTable::CheckPairs(const Tensor& keys, const Tensor& values) const {
  RETURN_IF_ERROR(CheckTypes(keys.dtype(), values.dtype()));
  std::vector<int64_t> dims = keys.shape().dims();
  for (const int64_t dim : value_shape_.dims()) dims.push_back(dim);
  ASSIGN_OR_RETURN(const Shape wanted, Shape::Make(dims));
  if (values.shape() == wanted) return OkStatus();
  return InvalidArgument("Expected shape ", wanted, " of values for keys of shape ", keys.shape(),
                         ", got ", values.shape());
}

std::vector<std::string> LookupTable::RowAt(const Tensor& values, int64_t row) const {
  std::vector<std::string> made;
  const int64_t width = value_shape_.num_elements();
  for (int64_t j = 0; j < width; ++j) made.push_back(BytesAt(values, row * width + j));
  return made;
}

Status LookupTable::Initialize(const Tensor& keys, const Tensor& values) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (mutable_) return InvalidArgument("a mutable table is filled by insert and import");
  RETURN_IF_ERROR(CheckPairs(keys, values));
  if (filled_) {
    if (static_cast<int64_t>(entries_.size()) == keys.num_elements()) return OkStatus();
    return FailedPrecondition("Table was already initialized with different data.");
  }
  std::unordered_map<std::string, size_t> places;
  std::vector<Entry> entries;
  StopLook look;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    look.Turn();
    Entry entry{BytesAt(keys, i), RowAt(values, i)};
    const auto added = places.emplace(entry.first, entries.size());
    if (added.second) {
      entries.push_back(std::move(entry));
    } else if (entries[added.first->second].second != entry.second) {
      return InvalidArgument("HashTable has different value for same key: key ", i,
                             " stands there twice");
    }
  }
  places_ = std::move(places);
  entries_ = std::move(entries);
  filled_ = true;
  return OkStatus();
}

Status LookupTable::Insert(const Tensor& keys, const Tensor& values, bool only) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!mutable_) return Unimplemented("a HashTable is filled by its initializer alone");
  RETURN_IF_ERROR(CheckPairs(keys, values));
  if (only) {
    places_.clear();
    entries_.clear();
  }
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    Entry entry{BytesAt(keys, i), RowAt(values, i)};
    const auto added = places_.emplace(entry.first, entries_.size());
    if (added.second) {
      entries_.push_back(std::move(entry));
    } else {
      entries_[added.first->second].second = std::move(entry.second);
    }
  }
  return OkStatus();
}

Status LookupTable::Remove(const Tensor& keys) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!mutable_) return Unimplemented("nothing is removed from a HashTable");
  if (keys.dtype() != key_) return CheckTypes(keys.dtype(), value_);
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    const auto found = places_.find(BytesAt(keys, i));
    if (found == places_.end()) continue;
    const size_t place = found->second;
    places_.erase(found);
    if (place + 1 != entries_.size()) {
      entries_[place] = std::move(entries_.back());
      places_[entries_[place].first] = place;
    }
    entries_.pop_back();
  }
  return OkStatus();
}

Status LookupTable::Find(const Tensor& keys, const Tensor& otherwise, Tensor* values) const {
  std::lock_guard<std::mutex> lock(mutex_);
  RETURN_IF_ERROR(CheckReady());
  const int64_t width = value_shape_.num_elements();
  const bool one_default = otherwise.num_elements() == width;
  StopLook look;
  for (int64_t i = 0; i < keys.num_elements(); ++i) {
    look.Turn();
    const auto found = places_.find(BytesAt(keys, i));
    for (int64_t j = 0; j < width; ++j) {
      if (found != places_.end()) {
        SetBytes(entries_[found->second].second[static_cast<size_t>(j)], values, i * width + j);
      } else {
        SetBytes(BytesAt(otherwise, one_default ? j : i * width + j), values, i * width + j);
      }
    }
  }
  return OkStatus();
}

Result<int64_t> LookupTable::Size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int64_t>(entries_.size());
}

void LookupTable::CopyOut(Tensor* keys, Tensor* values) const {
  int64_t key = 0, value = 0;
  StopLook look;
  for (const Entry& entry : entries_) {
    look.Turn();
    SetBytes(entry.first, keys, key++);
    for (const std::string& bytes : entry.second) SetBytes(bytes, values, value++);
  }
}

}  // namespace tfbuild
