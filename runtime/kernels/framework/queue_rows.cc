#include "kernels/framework/queue_rows.h"

#include <algorithm>
#include <cstring>

namespace tfbuild {
namespace {

template <typename T>
void CopyObjects(const Tensor& from, int64_t from_at, int64_t count, Tensor* to, int64_t to_at) {
  std::copy_n(from.data<T>() + from_at, count, to->mutable_data<T>() + to_at);
}

// `count` elements, from one place to another.
void CopyElements(const Tensor& from, int64_t from_at, int64_t count, Tensor* to, int64_t to_at) {
  if (from.dtype() == DType::kString) return CopyObjects<std::string>(from, from_at, count, to, to_at);
  if (from.dtype() == DType::kVariant) return CopyObjects<Variant>(from, from_at, count, to, to_at);
  const int64_t size = DTypeSize(from.dtype());
  if (count == 0) return;
  std::memcpy(static_cast<char*>(to->raw()) + to_at * size,
              static_cast<const char*>(from.raw()) + from_at * size,
              static_cast<size_t>(count * size));
}

Result<Tensor> AllocateRows(DType dtype, size_t rows, std::vector<int64_t> dims) {
  dims.insert(dims.begin(), static_cast<int64_t>(rows));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  return Tensor::Allocate(CpuAllocator(), dtype, shape);
}

// The runs of the innermost dimension of `from`, each to its place in a block of larger dimensions.
void CopyPadded(const Tensor& from, const std::vector<int64_t>& dims, Tensor* to, int64_t to_at) {
  const size_t rank = dims.size();
  if (rank == 0) return CopyElements(from, 0, 1, to, to_at);
  if (from.num_elements() == 0) return;
  const int64_t run = from.dim(static_cast<int>(rank) - 1);
  std::vector<int64_t> index(rank, 0);
  for (int64_t at = 0; at < from.num_elements(); at += run) {
    int64_t place = 0;
    for (size_t i = 0; i < rank; ++i) place = place * dims[i] + index[i];
    CopyElements(from, at, run, to, to_at + place);
    for (size_t i = rank - 1; i > 0; --i) {  // the next run
      if (++index[i - 1] < from.dim(static_cast<int>(i) - 1)) break;
      index[i - 1] = 0;
    }
  }
}

}  // namespace

Result<Tensor> CopyOfRow(const Tensor& batch, int64_t row) {
  std::vector<int64_t> dims(batch.shape().dims().begin() + 1, batch.shape().dims().end());
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor copy, Tensor::Allocate(CpuAllocator(), batch.dtype(), shape));
  CopyElements(batch, row * shape.num_elements(), shape.num_elements(), &copy, 0);
  return copy;
}

Result<Tensor> StackRows(const std::vector<const Tensor*>& rows, DType dtype, const Shape& shape) {
  ASSIGN_OR_RETURN(Tensor batch, AllocateRows(dtype, rows.size(), shape.dims()));
  for (size_t i = 0; i < rows.size(); ++i) {
    CopyElements(*rows[i], 0, shape.num_elements(), &batch,
                 static_cast<int64_t>(i) * shape.num_elements());
  }
  return batch;
}

Result<Tensor> StackPaddedRows(const std::vector<const Tensor*>& rows, DType dtype,
                               const PartialShape& declared) {
  std::vector<int64_t> largest = declared.dims();
  for (int64_t& size : largest) size = std::max<int64_t>(size, 0);
  for (const Tensor* row : rows) {
    if (row->rank() != declared.rank()) {
      return InvalidArgument("a row of shape ", row->shape(), " does not fit ", declared);
    }
    for (size_t i = 0; i < largest.size(); ++i) {
      if (declared.dim(static_cast<int>(i)) == kUnknownDim) {
        largest[i] = std::max(largest[i], row->dim(static_cast<int>(i)));
      }
    }
  }
  ASSIGN_OR_RETURN(Tensor batch, AllocateRows(dtype, rows.size(), largest));
  if (!IsHostObject(dtype) && batch.num_bytes() > 0) {
    std::memset(batch.raw(), 0, batch.num_bytes());
  }
  const int64_t block = rows.empty() ? 0 : batch.num_elements() / batch.dim(0);
  for (size_t i = 0; i < rows.size(); ++i) {
    CopyPadded(*rows[i], largest, &batch, static_cast<int64_t>(i) * block);
  }
  return batch;
}

}  // namespace tfbuild
