#include "kernels/framework/matmul_sizes.h"

#include <algorithm>

#include "tensor/limited_product.h"

namespace tfbuild {
namespace {

// The dimensions before the last two, filled up with 1 in front to `rank`.
std::vector<int64_t> BatchOf(const Shape& shape, int rank) {
  std::vector<int64_t> batch(static_cast<size_t>(rank - (shape.rank() - 2)), 1);
  batch.insert(batch.end(), shape.dims().begin(), shape.dims().end() - 2);
  return batch;
}

}  // namespace

int64_t MatMulSizes::batches() const {
  // Of an empty tensor the other dimensions need not have a product.
  if (std::find(c_batch.begin(), c_batch.end(), 0) != c_batch.end()) return 0;
  int64_t count = 1;
  for (const int64_t dim : c_batch) count *= dim;
  return count;
}

Shape MatMulSizes::output_shape() const {
  std::vector<int64_t> dims = c_batch;
  dims.push_back(m);
  dims.push_back(n);
  return *Shape::Make(std::move(dims));
}

Result<MatMulSizes> MakeMatMulSizes(const Shape& a, const Shape& b, bool transpose_a,
                                    bool transpose_b) {
  if (a.rank() < 2 || b.rank() < 2) {
    return InvalidArgument("matrix products need operands of at least rank 2, not ", a, " and ", b);
  }
  MatMulSizes sizes;
  sizes.transpose_a = transpose_a;
  sizes.transpose_b = transpose_b;
  sizes.m = a.dim(a.rank() - (transpose_a ? 1 : 2));
  sizes.k = a.dim(a.rank() - (transpose_a ? 2 : 1));
  sizes.n = b.dim(b.rank() - (transpose_b ? 2 : 1));
  if (sizes.k != b.dim(b.rank() - (transpose_b ? 1 : 2))) {
    return InvalidArgument("Matrix size-incompatible: In[0]: ", a, ", In[1]: ", b,
                           transpose_a ? ", first transposed" : "",
                           transpose_b ? ", second transposed" : "");
  }
  const int rank = std::max(a.rank(), b.rank()) - 2;
  sizes.a_batch = BatchOf(a, rank);
  sizes.b_batch = BatchOf(b, rank);
  for (size_t i = 0; i < sizes.a_batch.size(); ++i) {
    const int64_t from_a = sizes.a_batch[i];
    const int64_t from_b = sizes.b_batch[i];
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      return InvalidArgument("batch dimensions do not broadcast: In[0]: ", a, ", In[1]: ", b);
    }
    sizes.c_batch.push_back(from_a == 1 ? from_b : from_a);
  }
  std::vector<int64_t> output = sizes.c_batch;
  output.push_back(sizes.m);
  output.push_back(sizes.n);
  const Result<Shape> shape = Shape::Make(std::move(output));
  if (!shape.ok()) return shape.status();
  return sizes;
}

std::vector<int64_t> BatchIndices(const std::vector<int64_t>& operand_batch,
                                  const std::vector<int64_t>& c_batch) {
  if (LimitedProduct(c_batch.begin(), c_batch.end()) == 0) return {};
  std::vector<int64_t> indices = {0};
  for (size_t axis = 0; axis < c_batch.size(); ++axis) {
    std::vector<int64_t> next;
    next.reserve(indices.size() * static_cast<size_t>(c_batch[axis]));
    for (const int64_t index : indices) {
      for (int64_t i = 0; i < c_batch[axis]; ++i) {
        next.push_back(index * operand_batch[axis] + (operand_batch[axis] == 1 ? 0 : i));
      }
    }
    indices = std::move(next);
  }
  return indices;
}

}  // namespace tfbuild
