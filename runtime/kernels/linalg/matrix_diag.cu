// Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag and MatrixBandPart on a GPU: a thread for
// each element of the result, which is moved by its bytes.
#include "kernels/framework/cuda_launch.cuh"
#include "kernels/linalg/matrix_diag.h"

namespace tfbuild {
namespace {

// Where an element of matrices is.
struct MatrixGrid {
  explicit MatrixGrid(const Matrices& all)
      : rows(all.rows), columns(all.columns), diagonal(all.diagonal()) {}

  struct Place {
    int64_t matrix, row, column;
  };
  __device__ Place PlaceOf(int64_t index) const {
    Place place;
    place.column = index;
    place.row = columns.Split(&place.column);
    place.matrix = rows.Split(&place.row);
    return place;
  }

  Divider rows, columns, diagonal;
};

// Of the diagonals; `beside` gives what is not on one, zeros where it is null.
template <typename E>
__global__ void ToMatricesKernel(int64_t elements, MatrixGrid grid, const E* diagonals,
                                 const E* beside, E* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const MatrixGrid::Place at = grid.PlaceOf(i);
    if (at.row == at.column) {
      out[i] = diagonals[at.matrix * grid.diagonal.size + at.row];
    } else {
      out[i] = beside == nullptr ? E(0) : beside[i];
    }
  }
}

template <typename E>
__global__ void FromMatricesKernel(int64_t elements, MatrixGrid grid, const E* in, E* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    int64_t at = i;
    const int64_t matrix = grid.diagonal.Split(&at);
    out[i] = in[(matrix * grid.rows.size + at) * grid.columns.size + at];
  }
}

template <typename E>
__global__ void BandKernel(int64_t elements, MatrixGrid grid, Band band, const E* in, E* out) {
  for (int64_t i = FirstIndex(); i < elements; i += IndexStep()) {
    const MatrixGrid::Place at = grid.PlaceOf(i);
    const bool kept = (band.lower < 0 || at.row - at.column <= band.lower) &&
                      (band.upper < 0 || at.column - at.row <= band.upper);
    out[i] = kept ? in[i] : E(0);
  }
}

// Of elements of the bytes of E.
template <typename E>
struct CudaMoves {
  static Status ToMatrices(OpKernelContext* context, const Matrices& all, const Tensor& diagonals,
                           Tensor* output) {
    return Run(context, all, output, ToMatricesKernel<E>, Elements(diagonals), nullptr,
               Elements(output));
  }
  static Status FromMatrices(OpKernelContext* context, const Matrices& all, const Tensor& input,
                             Tensor* output) {
    return Run(context, all, output, FromMatricesKernel<E>, Elements(input), Elements(output));
  }
  static Status SetDiagonals(OpKernelContext* context, const Matrices& all, const Tensor& input,
                             const Tensor& diagonals, Tensor* output) {
    return Run(context, all, output, ToMatricesKernel<E>, Elements(diagonals), Elements(input),
               Elements(output));
  }
  static Status KeepBand(OpKernelContext* context, const Matrices& all, const Band& band,
                         const Tensor& input, Tensor* output) {
    return Run(context, all, output, BandKernel<E>, band, Elements(input), Elements(output));
  }

 private:
  static const E* Elements(const Tensor& tensor) { return static_cast<const E*>(tensor.raw()); }
  static E* Elements(Tensor* tensor) { return static_cast<E*>(tensor->raw()); }

  template <typename... Params, typename... Args>
  static Status Run(OpKernelContext* context, const Matrices& all, const Tensor* output,
                    void (*kernel)(int64_t, MatrixGrid, Params...), Args... args) {
    CudaDevice* device = CudaDeviceOf(context);
    const int64_t elements = output->num_elements();
    return Launch(device, LoopOver(*device, elements), kernel, elements, MatrixGrid(all), args...);
  }
};

#define REGISTER_ONE(OP, T, E) \
  REGISTER_KERNEL(Kernel(#OP).OnGpu().Type<T>("T"), OP##Op<CudaMoves<E>>);
#define REGISTER(T, E)                                                                     \
  REGISTER_ONE(MatrixDiag, T, E)                                                           \
  REGISTER_ONE(MatrixDiagPart, T, E)                                                       \
  REGISTER_ONE(MatrixSetDiag, T, E)                                                        \
  REGISTER_KERNEL(Kernel("MatrixBandPart").OnGpu().Type<T>("T").HostMemory("num_lower")    \
                      .HostMemory("num_upper"), MatrixBandPartOp<CudaMoves<E>>);
#define REGISTER_NUMBER(T, E) \
  REGISTER(T, E)              \
  REGISTER_ONE(Diag, T, E)    \
  REGISTER_ONE(DiagPart, T, E)
REGISTER(bool, uint8_t)
REGISTER_NUMBER(Half, uint16_t)
REGISTER_NUMBER(BFloat16, uint16_t)
REGISTER_NUMBER(float, uint32_t)
REGISTER_NUMBER(double, uint64_t)
REGISTER_NUMBER(int64_t, uint64_t)
#undef REGISTER_NUMBER
#undef REGISTER
#undef REGISTER_ONE

}  // namespace
}  // namespace tfbuild
