#pragma once

#include "base/status.h"
#include "tensor/shape.h"

namespace tfbuild {

// What ops that change rows of a variable take, as far as shapes are known; InvalidArgument else.

// A row of updates for each index, or one scalar for all.
Status UpdatesFit(const PartialShape& variable, const PartialShape& indices,
                  const PartialShape& updates);
// A row of the gradient for each index of a vector.
Status GradientFits(const PartialShape& variable, const PartialShape& indices,
                    const PartialShape& gradient);

}  // namespace tfbuild
