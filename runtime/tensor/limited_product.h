#pragma once

#include <cstdint>
#include <iterator>

#include "tensor/shape.h"

namespace tfbuild {

// The product of dimensions, or kMaxElements where it is more: beside a dimension of 0 the others of
// a shape may have any product.
template <typename Iterator>
int64_t LimitedProduct(Iterator begin, Iterator end) {
  int64_t product = 1;
  for (Iterator dim = begin; dim != end; ++dim) {
    if (*dim == 0) return 0;
    product = product > kMaxElements / *dim ? kMaxElements : product * *dim;
  }
  return product;
}

}  // namespace tfbuild
