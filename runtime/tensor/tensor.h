#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/allocator.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "tensor/variant.h"

namespace tfbuild {

// A block of memory and how it is given back. Shared by the tensors that look into it.
class Buffer {
 public:
  // Memory of `allocator`, which must outlive the buffer.
  Buffer(Allocator* allocator, void* data, size_t bytes)
      : data_(data), bytes_(bytes), allocator_(allocator) {}
  // Host memory of somebody else, whom the buffer keeps; null: who lives longer anyway. Whoever owns
  // it may change it once the step that it was fed to has ended.
  Buffer(void* data, size_t bytes, std::shared_ptr<void> owner)
      : data_(data), bytes_(bytes), owner_(std::move(owner)), borrowed_(true) {}
  // Up to kNearBytes of the host, in the buffer itself; `allocator` is whose they would be.
  Buffer(Allocator* allocator, size_t bytes)
      : data_(near_), bytes_(bytes), allocator_(allocator) {}
  // Strings and variants are objects of the host, whatever the device.
  template <typename T>
  explicit Buffer(std::vector<T> objects) {
    auto owner = std::make_shared<std::vector<T>>(std::move(objects));
    data_ = owner->data();
    owner_ = std::move(owner);
  }
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // A scalar of any type, or a few numbers: to ask an allocator costs more than to add them.
  static constexpr size_t kNearBytes = 16;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  // Whether the bytes came from an allocator and may be handed on as the memory of a result.
  bool owned() const { return allocator_ != nullptr; }
  bool borrowed() const { return borrowed_; }

 private:
  void* data_ = nullptr;
  size_t bytes_ = 0;
  Allocator* allocator_ = nullptr;
  std::shared_ptr<void> owner_;
  bool borrowed_ = false;
  alignas(kNearBytes) unsigned char near_[kNearBytes];
};

// An n-dimensional array: element type, shape and a shared buffer, dense and row-major. Copying a
// Tensor shares the buffer. Where the bytes live (host or GPU) is known to whoever holds it.
class Tensor {
 public:
  Tensor() = default;
  Tensor(DType dtype, Shape shape, std::shared_ptr<Buffer> buffer)
      : dtype_(dtype), shape_(std::move(shape)), buffer_(std::move(buffer)) {}

  // Uninitialised memory from `allocator`; ResourceExhausted when there is none.
  static Result<Tensor> Allocate(Allocator* allocator, DType dtype, const Shape& shape);
  // A host tensor of one element, and one of rank 1. They throw std::bad_alloc when there is no
  // memory.
  template <typename T>
  static Tensor Scalar(T value);
  template <typename T>
  static Tensor Vector(const std::vector<T>& values);
  static Tensor Strings(const Shape& shape, std::vector<std::string> values);

  bool initialized() const { return buffer_ != nullptr; }
  // Gives the memory up; type and shape mean nothing from here on.
  void Reset() { buffer_.reset(); }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t dim(int i) const { return shape_.dim(i); }
  int64_t num_elements() const { return shape_.num_elements(); }
  size_t num_bytes() const {
    return static_cast<size_t>(num_elements()) * static_cast<size_t>(DTypeSize(dtype_));
  }

  void* raw() const { return buffer_ ? buffer_->data() : nullptr; }
  template <typename T>
  const T* data() const { return static_cast<const T*>(raw()); }
  template <typename T>
  T* mutable_data() { return static_cast<T*>(raw()); }
  const std::shared_ptr<Buffer>& buffer() const { return buffer_; }

  // Whether this is the only tensor that looks into its memory, so that a kernel may write there.
  bool SoleOwner() const {
    if (!buffer_ || buffer_.use_count() != 1 || !buffer_->owned()) return false;
    // The count says nothing about what others did before they gave up their share; this does.
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }
  // The tensor for whoever keeps it beyond its step: a copy of the elements where the memory is only
  // borrowed, else the tensor itself.
  Result<Tensor> Kept() const;
  // The same bytes under another shape of as many elements.
  Result<Tensor> Reshaped(const Shape& shape) const;
  // The elements of a host tensor of int32 or int64, for shapes and axes; an error for other types.
  Result<std::vector<int64_t>> IntValues() const;

 private:
  static Tensor AllocateOrThrow(DType dtype, const Shape& shape);
  DType dtype_ = DType::kInvalid;
  Shape shape_;
  std::shared_ptr<Buffer> buffer_;
};

template <typename T>
Tensor Tensor::Vector(const std::vector<T>& values) {
  const Shape shape{static_cast<int64_t>(values.size())};
  Tensor tensor = AllocateOrThrow(DTypeOf<T>::value, shape);
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_data<T>()[i] = values[i];
  return tensor;
}

template <typename T>
Tensor Tensor::Scalar(T value) {
  Tensor tensor = AllocateOrThrow(DTypeOf<T>::value, Shape{});
  *tensor.mutable_data<T>() = value;
  return tensor;
}

}  // namespace tfbuild
