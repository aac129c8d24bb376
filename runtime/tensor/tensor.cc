#include "tensor/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/stop.h"
#include "tensor/memory_limit.h"
#include "tensor/memory_watch.h"

namespace tfbuild {
namespace {

constexpr size_t kObjectsAtOnce = size_t{1} << 16;

Status OutOfMemory(DType dtype, const Shape& shape, size_t bytes) {
  return ResourceExhausted("out of memory allocating a ", DTypeName(dtype), " tensor of shape ",
                           shape, " (", bytes, " bytes)");
}

// Empty strings or variants. The system would promise more memory than there is and end the process
// later.
template <typename T>
Result<Tensor> AllocateObjects(DType dtype, const Shape& shape) {
  const size_t count = static_cast<size_t>(shape.num_elements());
  const size_t bytes = count * sizeof(T);
  if (bytes > MemoryLimit()) return OutOfMemory(dtype, shape, bytes);
  try {
    std::vector<T> objects;
    objects.reserve(count);
    while (objects.size() < count) {  // many take seconds, in which a step may end
      ThrowIfStopped();
      objects.resize(std::min(count, objects.size() + kObjectsAtOnce));
    }
    return Tensor(dtype, shape, std::make_shared<Buffer>(std::move(objects)));
  } catch (const std::bad_alloc&) {
    return OutOfMemory(dtype, shape, bytes);
  }
}

}  // namespace

Buffer::~Buffer() {
  if (allocator_ != nullptr) {
    MemoryWatch::Note(allocator_, -static_cast<int64_t>(bytes_));
    if (data_ != near_) allocator_->Deallocate(data_, bytes_);
  }
}

Result<Tensor> Tensor::Allocate(Allocator* allocator, DType dtype, const Shape& shape) {
  if (dtype == DType::kString) return AllocateObjects<std::string>(dtype, shape);
  if (dtype == DType::kVariant) return AllocateObjects<Variant>(dtype, shape);
  const size_t bytes =
      static_cast<size_t>(shape.num_elements()) * static_cast<size_t>(DTypeSize(dtype));
  if (bytes <= Buffer::kNearBytes && allocator == CpuAllocator()) {
    MemoryWatch::Note(allocator, static_cast<int64_t>(bytes));
    return Tensor(dtype, shape, std::make_shared<Buffer>(allocator, bytes));
  }
  void* data = allocator->Allocate(bytes);
  if (data == nullptr) return OutOfMemory(dtype, shape, bytes);
  MemoryWatch::Note(allocator, static_cast<int64_t>(bytes));
  return Tensor(dtype, shape, std::make_shared<Buffer>(allocator->OwnerOf(data), data, bytes));
}

Tensor Tensor::AllocateOrThrow(DType dtype, const Shape& shape) {
  Result<Tensor> tensor = Allocate(CpuAllocator(), dtype, shape);
  if (!tensor.ok()) throw std::bad_alloc();
  return *std::move(tensor);
}

Tensor Tensor::Strings(const Shape& shape, std::vector<std::string> values) {
  return Tensor(DType::kString, shape, std::make_shared<Buffer>(std::move(values)));
}

Result<Tensor> Tensor::Kept() const {
  if (!buffer_ || !buffer_->borrowed()) return *this;
  ASSIGN_OR_RETURN(Tensor copy, Allocate(CpuAllocator(), dtype_, shape_));
  if (num_bytes() > 0) std::memcpy(copy.raw(), raw(), num_bytes());
  return copy;
}

Result<Tensor> Tensor::Reshaped(const Shape& shape) const {
  if (shape.num_elements() != num_elements()) {
    return InvalidArgument("cannot reshape a tensor of shape ", shape_, " (", num_elements(),
                           " elements) to ", shape, " (", shape.num_elements(), " elements)");
  }
  return Tensor(dtype_, shape, buffer_);
}

Result<std::vector<int64_t>> Tensor::IntValues() const {
  if (rank() > 1) return InvalidArgument("expected a scalar or a vector, not shape ", shape_);
  if (dtype_ == DType::kInt64) {
    return std::vector<int64_t>(data<int64_t>(), data<int64_t>() + num_elements());
  }
  if (dtype_ == DType::kInt32) {
    return std::vector<int64_t>(data<int32_t>(), data<int32_t>() + num_elements());
  }
  return InvalidArgument("expected int32 or int64 values, not ", DTypeName(dtype_));
}

}  // namespace tfbuild
