#pragma once

// Checks and sizes of the cross-entropy losses, shared by the kernels of all devices.

#include "base/status.h"
#include "tensor/shape.h"

namespace tfbuild {

struct XentSizes {
  int64_t rows = 0;
  int64_t classes = 0;
};

// For labels that are class numbers.
inline Result<XentSizes> MakeSparseXentSizes(const Shape& features, const Shape& labels) {
  if (features.rank() != 2) {
    return InvalidArgument("logits must be 2-D, but got shape ", features);
  }
  if (labels.rank() != 1) {
    return InvalidArgument("labels must be 1-D, but got shape ", labels);
  }
  if (features.dim(0) != labels.dim(0)) {
    return InvalidArgument("logits and labels must have the same first dimension, got logits ",
                           "shape ", features, " and labels shape ", labels);
  }
  if (features.dim(1) == 0 && features.dim(0) > 0) {
    return InvalidArgument("Must have at least one class, but got logits shape ", features);
  }
  return XentSizes{features.dim(0), features.dim(1)};
}

// For labels that are probabilities of each class. Features and labels broadcast; a stride of 0
// repeats a row or a column.
struct DenseXentSizes : XentSizes {
  int64_t features_row = 0, features_col = 0;
  int64_t labels_row = 0, labels_col = 0;
};
inline Result<DenseXentSizes> MakeDenseXentSizes(const Shape& features, const Shape& labels) {
  const Result<Shape> both = BroadcastShapes(features, labels);
  if (!both.ok() || both->rank() != 2) {
    return InvalidArgument("logits and labels must be broadcastable to a matrix: logits_size=",
                           features, " labels_size=", labels);
  }
  DenseXentSizes sizes;
  sizes.rows = both->dim(0);
  sizes.classes = both->dim(1);
  const auto strides = [](const Shape& shape, int64_t* row, int64_t* col) {
    const int64_t columns = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
    *col = columns == 1 ? 0 : 1;
    *row = shape.rank() < 2 || shape.dim(0) == 1 ? 0 : columns;
  };
  strides(features, &sizes.features_row, &sizes.features_col);
  strides(labels, &sizes.labels_row, &sizes.labels_col);
  return sizes;
}

}  // namespace tfbuild
