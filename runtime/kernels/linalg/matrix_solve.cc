// MatrixInverse, MatrixSolve, MatrixDeterminant and LogMatrixDeterminant, by elimination with
// pivots (LU).
#include "kernels/linalg/matrix.h"
#include "linalg/factors.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status SolveShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 2));
  context->set_output(0, PartialShape());
  const PartialShape &matrix = context->input(0), &right = context->input(1);
  if (!matrix.known_rank() || !right.known_rank()) return OkStatus();
  if (matrix.rank() != right.rank()) {
    return InvalidArgument("Shapes must be equal rank, but are ", matrix, " and ", right);
  }
  // All but the last dimension agree.
  std::vector<int64_t> dims = matrix.dims(), of_right = right.dims();
  dims.pop_back();
  of_right.pop_back();
  ASSIGN_OR_RETURN(const PartialShape common, PartialShape(dims).MergeWith(PartialShape(of_right)));
  std::vector<int64_t> result = common.dims();
  result.push_back(right.dim(right.rank() - 1));
  context->set_output(0, PartialShape(result));
  return OkStatus();
}

Status DeterminantShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  const PartialShape& input = context->input(0);
  PartialShape batch;
  if (input.known_rank()) {
    batch = PartialShape(std::vector<int64_t>(input.dims().begin(), input.dims().end() - 2));
  }
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, batch);
  return OkStatus();
}

REGISTER_OP("MatrixInverse")
    .Input("input: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SquareMatrixShape);
REGISTER_OP("MatrixSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("adjoint: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SolveShape);
REGISTER_OP("MatrixDeterminant")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .ShapeFunction(DeterminantShape);
REGISTER_OP("LogMatrixDeterminant")
    .Input("input: T")
    .Output("sign: T")
    .Output("log_abs_determinant: T")
    .Attr("T: {half, float, double, complex64, complex128}")
    .ShapeFunction(DeterminantShape);

template <typename T>
class MatrixSolveOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(adjoint_, construction.Attr<bool>("adjoint"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& matrix = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(matrix));
    int64_t columns = all.columns;
    const bool inverts = context->num_inputs() == 1;
    if (!inverts) {
      const Tensor& right = context->input(1);
      ASSIGN_OR_RETURN(const MatrixBatch rights, MatrixBatch::Of(right));
      if (rights.batch != all.batch || rights.rows != all.rows) {
        return InvalidArgument("Input matrix and rhs are incompatible: ", matrix.shape(), " and ",
                               right.shape());
      }
      columns = rights.columns;
    }
    ASSIGN_OR_RETURN(const Shape shape, all.With({all.rows, columns}));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    const T* right = inverts ? nullptr : context->input(1).data<T>();
    T* out = output->mutable_data<T>();
    const int64_t size = all.rows;
    return ForEachMatrix(all.count, {size, size, size + columns}, [&](int64_t i) {
      const linalg::MatrixView<T> from{matrix.data<T>() + i * all.size(), size, size};
      T* x = out + i * size * columns;
      const bool solved =
          inverts ? linalg::Invert(from, adjoint_, x)
                  : linalg::Solve(from, adjoint_, {right + i * size * columns, size, columns}, x);
      if (!solved) return InvalidArgument("Input matrix is not invertible.");
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool adjoint_ = false;
};

// The determinant itself where there is one output; else its sign and the logarithm of its size.
template <typename T>
class DeterminantOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(input));
    ASSIGN_OR_RETURN(const Shape shape, all.With({}));
    std::vector<T*> out;
    for (int i = 0; i < context->num_outputs(); ++i) {
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i, shape));
      out.push_back(output->mutable_data<T>());
    }
    const int64_t size = all.rows;
    return ForEachMatrix(all.count, {size, size, size}, [&](int64_t i) {
      const linalg::MatrixView<T> matrix{input.data<T>() + i * all.size(), size, size};
      if (out.size() == 1) {
        linalg::Determinant(matrix, out[0] + i);
      } else {
        linalg::LogDeterminant(matrix, out[0] + i, out[1] + i);
      }
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }
};

#define REGISTER(T)                                                                       \
  REGISTER_KERNEL(Kernel("MatrixInverse").OnCpu().Type<T>("T"), MatrixSolveOp<T>);        \
  REGISTER_KERNEL(Kernel("MatrixSolve").OnCpu().Type<T>("T"), MatrixSolveOp<T>);          \
  REGISTER_KERNEL(Kernel("MatrixDeterminant").OnCpu().Type<T>("T"), DeterminantOp<T>);    \
  REGISTER_KERNEL(Kernel("LogMatrixDeterminant").OnCpu().Type<T>("T"), DeterminantOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
