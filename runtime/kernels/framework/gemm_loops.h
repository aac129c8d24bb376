#pragma once

#include <cstdint>

namespace tfbuild {

// Part of a product of matrices: c[rows x n] += a[rows x k] b[k x n]. Element (i, p) of a is
// a[i * a_row + p * a_col]; rows of b and c are contiguous and that far apart.
template <typename T>
struct ProductPart {
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int64_t rows, k, n;
};

// For types that oneDNN does not multiply. The unsigned types stand for integers, which wrap.
void AddProduct(const ProductPart<double>& part);
void AddProduct(const ProductPart<uint32_t>& part);
void AddProduct(const ProductPart<uint64_t>& part);

}  // namespace tfbuild
