#include "kernels/data/slices.h"

#include <algorithm>
#include <cstring>

#include "base/parallel.h"

namespace tfbuild {
namespace {

// Bytes of a batch from which on several threads copy them.
constexpr int64_t kWorthThread = 1 << 20;

Result<Shape> WithFirst(int64_t first, const Shape& shape) {
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), first);
  return Shape::Make(dims);
}

Result<Shape> WithoutFirst(const Shape& shape) {
  return Shape::Make(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()));
}

}  // namespace

Result<Tensor> NewTensor(DType dtype, const Shape& shape) {
  return Tensor::Allocate(CpuAllocator(), dtype, shape);
}

Result<Tensor> SliceAt(const Tensor& tensor, int64_t index) {
  ASSIGN_OR_RETURN(const Shape shape, WithoutFirst(tensor.shape()));
  ASSIGN_OR_RETURN(Tensor slice, NewTensor(tensor.dtype(), shape));
  const int64_t count = shape.num_elements();
  if (tensor.dtype() == DType::kString) {
    std::copy_n(tensor.data<std::string>() + index * count, count,
                slice.mutable_data<std::string>());
  } else if (tensor.dtype() == DType::kVariant) {
    std::copy_n(tensor.data<Variant>() + index * count, count, slice.mutable_data<Variant>());
  } else if (count > 0) {
    std::memcpy(slice.raw(), tensor.data<char>() + static_cast<size_t>(index) * slice.num_bytes(),
                slice.num_bytes());
  }
  return slice;
}

void PutSlice(Tensor* row, int64_t index, Tensor* batch) {
  const int64_t count = row->num_elements();
  const bool own = row->buffer().use_count() == 1;
  if (row->dtype() == DType::kString) {
    std::string* from = row->mutable_data<std::string>();
    std::string* to = batch->mutable_data<std::string>() + index * count;
    for (int64_t i = 0; i < count; ++i) {
      if (own) {
        to[i] = std::move(from[i]);
      } else {
        to[i] = from[i];
      }
    }
  } else if (row->dtype() == DType::kVariant) {
    std::copy_n(row->data<Variant>(), count, batch->mutable_data<Variant>() + index * count);
  } else if (count > 0) {
    std::memcpy(batch->mutable_data<char>() + static_cast<size_t>(index) * row->num_bytes(),
                row->raw(), row->num_bytes());
  }
}

Result<Element> StackElements(std::vector<Element>* elements) {
  Element batch;
  const int64_t size = static_cast<int64_t>(elements->size());
  for (size_t c = 0; c < (*elements)[0].size(); ++c) {
    const Tensor first = (*elements)[0][c];
    ASSIGN_OR_RETURN(const Shape shape, WithFirst(size, first.shape()));
    for (const Element& element : *elements) {
      if (element.size() <= c || element[c].dtype() != first.dtype()) {
        return InvalidArgument("Cannot batch elements of different types");
      }
      if (element[c].shape() == first.shape()) continue;
      return InvalidArgument("Cannot batch tensors with different shapes in component ", c,
                             ". First element had shape ", first.shape(), " and element ",
                             &element - elements->data(), " had shape ", element[c].shape(), ".");
    }
    ASSIGN_OR_RETURN(Tensor stacked, NewTensor(first.dtype(), shape));
    const int64_t bytes = std::max<int64_t>(1, static_cast<int64_t>(first.num_bytes()));
    ParallelFor(size, std::max<int64_t>(1, kWorthThread / bytes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        PutSlice(&(*elements)[static_cast<size_t>(i)][c], i, &stacked);
      }
    });
    batch.push_back(std::move(stacked));
  }
  return batch;
}

}  // namespace tfbuild
