#pragma once

#include <array>

#include "kernels/framework/onednn.h"
#include "kernels/nn/conv_dimensions.h"

namespace tfbuild {

// What oneDNN runs for one pass of a convolution.
struct ConvProgram {
  // An operand as the tensor holds it and as the primitive wants it, and the way between them.
  struct Operand {
    int id = 0;
    dnnl::memory::desc stored;
    dnnl::memory::desc wanted;
    OnednnPrimitive reorder;  // when they differ; of the result: wanted to stored
  };
  OnednnPrimitive primitive;
  std::array<Operand, 3> operands;  // first, second, result
  double most_work = 0;             // multiplications that take some tenths of a second

  // For `dims`, which is `whole` or a tile of it: its images lie in the whole's. A program that
  // adds leaves what the result was in the sum. Throws what oneDNN throws.
  static Result<ConvProgram> Make(ConvPass pass, const ConvDimensions& dims,
                                  const ConvDimensions& whole, DType dtype, bool adds);
};

}  // namespace tfbuild
