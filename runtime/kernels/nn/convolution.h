#pragma once

#include <array>

#include "kernels/framework/element_program.h"
#include "kernels/framework/onednn.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/nn/conv_program.h"
#include "kernels/nn/conv_tiles.h"

namespace tfbuild {

// Convolutions on the CPU. A member of a kernel: it keeps what oneDNN prepared for the sizes used
// last. Thread-safe.
class Convolution {
 public:
  explicit Convolution(ConvPass pass) : pass_(pass) {}

  // Writes the whole result; operands as the pass says, of type T: float, double, Half, BFloat16.
  // `then` runs over what is done.
  template <typename T>
  Status Run(OpKernelContext* context, const ConvDimensions& dims, const T* first,
             const T* second, T* result, const ElementRun* then = nullptr);

 private:
  using Program = ConvProgram;
  Result<std::shared_ptr<const Program>> Find(const IntraOpTeam& team, const ConvDimensions& dims,
                                              const ConvDimensions& whole, DType dtype, bool adds);

  // `data`: first, second, result.
  Status RunOnednnConv(OpKernelContext* context, const ConvDimensions& dims, DType dtype,
                       std::array<const void*, 3> data, const ElementRun* then);
  Result<bool> IsLong(const ConvDimensions& dims, double team_work, DType dtype);
  Status RunLong(OpKernelContext* context, const ConvDimensions& dims, DType dtype,
                 const std::array<const void*, 3>& data);
  Status RunTile(OpKernelContext* context, const ConvTile& tile, const ConvDimensions& whole,
                 DType dtype, const std::array<const void*, 3>& data);
  Status RunParts(OpKernelContext* context, const ConvDimensions& dims,
                  const ConvDimensions& some, DType dtype, std::array<const void*, 3> data,
                  const ElementRun* then);
  Status RunWhole(OpKernelContext* context, const ConvDimensions& dims, double work, DType dtype,
                  const std::array<const void*, 3>& data);
  Status SumParts(OpKernelContext* context, const ConvDimensions& dims, ConvDimensions some,
                  double work, const std::array<const void*, 3>& data);
  Status ArrangeFilter(OpKernelContext* context, const Program& program, const void** filter,
                       Tensor* memory) const;
  Status RunProgram(OpKernelContext* context, const Program& program,
                    std::array<const void*, 3> data, bool arranged) const;
  template <typename T>
  Status RunAsFloat(OpKernelContext* context, const ConvDimensions& dims, const T* first,
                    const T* second, T* result);

  ConvPass pass_;
  OnednnCache<Program> cache_;
};

// The same for double, with our own loops.
Status RunConvLoops(OpKernelContext* context, ConvPass pass, const ConvDimensions& dims,
                    const double* first, const double* second, double* result);

// Elements of the operands of a pass: first, second, result.
std::array<int64_t, 3> ConvOperandSizes(ConvPass pass, const ConvDimensions& dims);

}  // namespace tfbuild
