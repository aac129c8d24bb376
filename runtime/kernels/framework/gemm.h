#pragma once

#include "kernels/framework/element_program.h"
#include "kernels/framework/matmul_sizes.h"
#include "kernels/framework/onednn.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {

// Matrix products on the CPU, for all kernels that need one. A member of a kernel: it keeps what
// oneDNN prepared for the sizes used last. Thread-safe.
class MatrixProduct {
 public:
  // c = op(a) op(b) for each batch; dense row-major operands of type T: float, double, Half,
  // BFloat16, int32_t or int64_t. `then` runs over parts of c while they are in cache.
  template <typename T>
  Status Run(OpKernelContext* context, const MatMulSizes& sizes, const T* a, const T* b, T* c,
             const ElementRun* then = nullptr);

  struct Extent {
    int64_t rows;
    int64_t columns;
  };

 private:
  struct Operands {
    const char* a;
    const char* b;
    char* c;
    const ElementRun* then;  // of the whole product
  };
  struct Program {
    OnednnPrimitive primitive;
    dnnl::memory::desc a;
    dnnl::memory::desc b;
    dnnl::memory::desc c;
  };
  // For a part of c, of each matrix, and a run of `depth` products of each sum; `adds` to what is
  // in c.
  static Result<Program> MakeProgram(const MatMulSizes& sizes, DType dtype, Extent part,
                                     int64_t depth, bool adds);

  Status RunFloat(OpKernelContext* context, const MatMulSizes& sizes, const float* a,
                  const float* b, float* c, const ElementRun* then);
  Status RunOnednnMatMul(OpKernelContext* context, const MatMulSizes& sizes, DType dtype,
                         const void* a, const void* b, void* c, const ElementRun* then);
  Status RunGrid(OpKernelContext* context, const MatMulSizes& sizes, DType dtype,
                 const Operands& all);
  Status RunBatches(OpKernelContext* context, const MatMulSizes& sizes, DType dtype,
                    const Operands& all);
  Status RunPart(const IntraOpTeam& team, OpKernelContext* context, const MatMulSizes& sizes,
                 DType dtype, Extent part, const Operands& at);
  template <typename T>
  Status RunAsFloat(OpKernelContext* context, const MatMulSizes& sizes, const T* a, const T* b,
                    T* c);

  OnednnCache<Program> cache_;
};

}  // namespace tfbuild
