// Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag and MatrixBandPart: diagonals of
// matrices, and what lies near them.
#include "kernels/linalg/matrix_diag.h"

#include <cstring>

#include "base/parallel_fill.h"
#include "graph/shape_context.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

PartialShape ShapeOf(std::vector<int64_t> dims) { return PartialShape(std::move(dims)); }

Status DiagShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  std::vector<int64_t> dims = input.dims();
  dims.insert(dims.end(), input.dims().begin(), input.dims().end());
  context->set_output(0, ShapeOf(dims));
  return OkStatus();
}

Status DiagPartShape(ShapeContext* context) {
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  if (input.rank() % 2 != 0 || input.rank() == 0) {
    return InvalidArgument("Input must have even and non-zero rank, but its shape is ", input);
  }
  const auto middle = input.dims().begin() + input.rank() / 2;
  const PartialShape first(std::vector<int64_t>(input.dims().begin(), middle));
  ASSIGN_OR_RETURN(const PartialShape both,
                   first.MergeWith(std::vector<int64_t>(middle, input.dims().end())));
  context->set_output(0, both);
  return OkStatus();
}

Status MatrixDiagShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 1));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  std::vector<int64_t> dims = input.dims();
  dims.push_back(dims.back());
  context->set_output(0, ShapeOf(dims));
  return OkStatus();
}

Result<PartialShape> DiagonalOf(const PartialShape& input) {
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end() - 2);
  const int64_t rows = input.dim(input.rank() - 2), columns = input.dim(input.rank() - 1);
  const bool known = rows != kUnknownDim && columns != kUnknownDim;
  dims.push_back(known ? std::min(rows, columns) : kUnknownDim);
  return ShapeOf(dims);
}

Status MatrixDiagPartShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  if (!context->input(0).known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(PartialShape diagonal, DiagonalOf(context->input(0)));
  context->set_output(0, std::move(diagonal));
  return OkStatus();
}

Status MatrixSetDiagShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 1));
  const PartialShape& input = context->input(0);
  if (input.known_rank()) {
    ASSIGN_OR_RETURN(const PartialShape diagonal, DiagonalOf(input));
    RETURN_IF_ERROR(diagonal.MergeWith(context->input(1)).status());
  }
  context->set_output(0, input);
  return OkStatus();
}

Status BandShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  RETURN_IF_ERROR(context->WithRank(1, 0).status());
  RETURN_IF_ERROR(context->WithRank(2, 0).status());
  context->set_output(0, context->input(0));
  return OkStatus();
}

REGISTER_OP("Diag")
    .Input("diagonal: T").Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .ShapeFunction(DiagShape);
REGISTER_OP("DiagPart")
    .Input("input: T").Output("diagonal: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .ShapeFunction(DiagPartShape);
REGISTER_OP("MatrixDiag")
    .Input("diagonal: T").Output("output: T").Attr("T: type").ShapeFunction(MatrixDiagShape);
REGISTER_OP("MatrixDiagPart")
    .Input("input: T").Output("diagonal: T").Attr("T: type").ShapeFunction(MatrixDiagPartShape);
REGISTER_OP("MatrixSetDiag")
    .Input("input: T").Input("diagonal: T").Output("output: T")
    .Attr("T: type").ShapeFunction(MatrixSetDiagShape);
REGISTER_OP("MatrixBandPart")
    .Input("input: T").Input("num_lower: Tindex").Input("num_upper: Tindex").Output("band: T")
    .Attr("T: type").Attr("Tindex: {int32, int64} = DT_INT64").ShapeFunction(BandShape);

// Copies `count` elements that lie `from_step` and `to_step` elements apart.
void CopySteps(int size, const void* from, int64_t from_step, void* to, int64_t to_step,
               int64_t count) {
  const char* source = static_cast<const char*>(from);
  char* target = static_cast<char*>(to);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(target + i * to_step * size, source + i * from_step * size,
                static_cast<size_t>(size));
  }
}

const char* At(const Tensor& tensor, int64_t i) {
  return static_cast<const char*>(tensor.raw()) + i * DTypeSize(tensor.dtype());
}
char* At(Tensor* tensor, int64_t i) {
  return static_cast<char*>(tensor->raw()) + i * DTypeSize(tensor->dtype());
}

struct HostMoves {
  static Status ToMatrices(OpKernelContext*, const Matrices& all, const Tensor& diagonals,
                           Tensor* output) {
    ParallelZero(output->raw(), static_cast<int64_t>(output->num_bytes()));
    return WriteDiagonals(all, diagonals, output);
  }

  static Status FromMatrices(OpKernelContext*, const Matrices& all, const Tensor& input,
                             Tensor* output) {
    for (int64_t i = 0; i < all.count; ++i) {
      CopySteps(DTypeSize(input.dtype()), At(input, i * all.rows * all.columns), all.columns + 1,
                At(output, i * all.diagonal()), 1, all.diagonal());
    }
    return OkStatus();
  }

  static Status SetDiagonals(OpKernelContext*, const Matrices& all, const Tensor& input,
                             const Tensor& diagonals, Tensor* output) {
    std::memcpy(output->raw(), input.raw(), input.num_bytes());
    return WriteDiagonals(all, diagonals, output);
  }

  static Status KeepBand(OpKernelContext*, const Matrices& all, const Band& band,
                         const Tensor& input, Tensor* output) {
    ParallelZero(output->raw(), static_cast<int64_t>(output->num_bytes()));
    const int64_t size = DTypeSize(input.dtype());
    for (int64_t row = 0; row < all.count * all.rows; ++row) {
      const int64_t i = row % all.rows;
      const int64_t begin = std::max<int64_t>(0, band.lower < 0 ? 0 : i - band.lower);
      const int64_t end = band.upper < 0 ? all.columns : std::min(all.columns, i + band.upper + 1);
      if (begin >= end) continue;
      const int64_t place = row * all.columns + begin;
      std::memcpy(At(output, place), At(input, place), static_cast<size_t>((end - begin) * size));
    }
    return OkStatus();
  }

 private:
  static Status WriteDiagonals(const Matrices& all, const Tensor& diagonals, Tensor* output) {
    for (int64_t i = 0; i < all.count; ++i) {
      CopySteps(DTypeSize(diagonals.dtype()), At(diagonals, i * all.diagonal()), 1,
                At(output, i * all.rows * all.columns), all.columns + 1, all.diagonal());
    }
    return OkStatus();
  }
};

#define REGISTER(T)                                                        \
  REGISTER_KERNEL(Kernel("Diag").OnCpu().Type<T>("T"), DiagOp<HostMoves>); \
  REGISTER_KERNEL(Kernel("DiagPart").OnCpu().Type<T>("T"), DiagPartOp<HostMoves>);
TFBUILD_FLOATING_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER
REGISTER_KERNEL(Kernel("MatrixDiag").OnCpu(), MatrixDiagOp<HostMoves>);
REGISTER_KERNEL(Kernel("MatrixDiagPart").OnCpu(), MatrixDiagPartOp<HostMoves>);
REGISTER_KERNEL(Kernel("MatrixSetDiag").OnCpu(), MatrixSetDiagOp<HostMoves>);
REGISTER_KERNEL(Kernel("MatrixBandPart").OnCpu(), MatrixBandPartOp<HostMoves>);

}  // namespace
}  // namespace tfbuild
