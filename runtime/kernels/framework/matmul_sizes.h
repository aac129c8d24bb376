#pragma once

// Checks and sizes of matrix products, shared by the kernels of all devices.

#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace tfbuild {

// c[batch] = op(a[batch]) op(b[batch]): m x k times k x n. The batch dimensions of the three have
// the same rank; those of a and b are 1 where they broadcast.
struct MatMulSizes {
  std::vector<int64_t> a_batch;
  std::vector<int64_t> b_batch;
  std::vector<int64_t> c_batch;
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  bool transpose_a = false;  // a is stored k x m
  bool transpose_b = false;  // b is stored n x k

  int64_t batches() const;
  Shape output_shape() const;
};

// Of two tensors of at least rank 2, whose last two dimensions are the matrices.
Result<MatMulSizes> MakeMatMulSizes(const Shape& a, const Shape& b, bool transpose_a,
                                    bool transpose_b);

// For each matrix of c in order: which matrix of a (or b) it is made from.
std::vector<int64_t> BatchIndices(const std::vector<int64_t>& operand_batch,
                                  const std::vector<int64_t>& c_batch);

}  // namespace tfbuild
