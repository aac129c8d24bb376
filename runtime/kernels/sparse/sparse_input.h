#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"

namespace tfbuild {

// Where the elements of a sparse tensor stand: copied, since a fed array may change while a step
// runs. The dimensions may be too large for a dense tensor.
struct SparsePlaces {
  std::vector<int64_t> dims;
  std::vector<int64_t> indices;  // `rank()` numbers for each element
  int64_t count = 0;

  size_t rank() const { return dims.size(); }
  const int64_t* row(int64_t i) const { return indices.data() + i * static_cast<int64_t>(rank()); }
  void Add(const int64_t* place) {
    indices.insert(indices.end(), place, place + rank());
    ++count;
  }
  // Below 0, 0 or above 0, as element i stands before, at or behind that place.
  int Compare(int64_t i, const int64_t* place) const {
    const int64_t* own = row(i);
    for (size_t k = 0; k < rank(); ++k) {
      if (own[k] != place[k]) return own[k] < place[k] ? -1 : 1;
    }
    return 0;
  }

  // From indices [count, rank], values [count] and a shape [rank].
  static Result<SparsePlaces> Read(const Tensor& indices, const Tensor& values,
                                   const Tensor& shape);
  static Result<SparsePlaces> Read(const Tensor& indices, const Tensor& shape);
  static Result<SparsePlaces> Read(const Tensor& indices, std::vector<int64_t> dims);
  // InvalidArgument where an element stands outside.
  Status CheckBounds() const;
  // InvalidArgument where elements do not stand in the order of memory, each once.
  Status CheckOrder() const;
  // The elements in the order of memory; those at one place stay in theirs.
  std::vector<int64_t> Order() const;

  // Puts out the indices as output i, a matrix of int64.
  Status PutIndices(OpKernelContext* context, int i) const;
  Status PutShape(OpKernelContext* context, int i) const;
};

// Puts out those elements of a vector of values as output i.
Status PutPicked(OpKernelContext* context, int i, const Tensor& values,
                 const std::vector<int64_t>& picked);

// Puts out a vector of values as output i.
template <typename T>
Status PutValues(OpKernelContext* context, int i, const std::vector<T>& values) {
  ASSIGN_OR_RETURN(Tensor * output,
                   context->AllocateOutput(i, Shape{static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), output->mutable_data<T>());
  return OkStatus();
}

// While a graph is built: the shapes of a sparse tensor in inputs i, i + 1 and i + 2 are those of one.
Status CheckSparseShapes(ShapeContext* context, int i);
// Sets outputs i, i + 1 and i + 2 to a sparse tensor of that rank with any number of elements.
void SetSparseShapes(ShapeContext* context, int i, int64_t rank);
// The rank of the sparse tensor in inputs i, i + 1 and i + 2, which are of the right ranks.
int64_t SparseRank(const ShapeContext& context, int i);

}  // namespace tfbuild
