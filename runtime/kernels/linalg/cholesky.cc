// Cholesky and MatrixTriangularSolve.
#include <limits>

#include "kernels/linalg/matrix.h"
#include "linalg/factors.h"
#include "tensor/complex.h"

namespace tfbuild {
namespace {

Status TriangularSolveShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  RETURN_IF_ERROR(context->WithRankAtLeast(1, 2));
  context->set_output(0, PartialShape());
  const PartialShape &matrix = context->input(0), &right = context->input(1);
  if (!matrix.known_rank() || !right.known_rank()) return OkStatus();
  const auto batch = [](const PartialShape& shape) {
    return PartialShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end() - 2));
  };
  ASSIGN_OR_RETURN(const PartialShape outer, BroadcastShapes(batch(matrix), batch(right)));
  if (!outer.known_rank()) return OkStatus();
  const PartialShape rows({matrix.dim(matrix.rank() - 2)});
  ASSIGN_OR_RETURN(const PartialShape common,
                   rows.MergeWith(PartialShape({right.dim(right.rank() - 2)})));
  std::vector<int64_t> dims = outer.dims();
  dims.push_back(common.dim(0));
  dims.push_back(right.dim(right.rank() - 1));
  context->set_output(0, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("Cholesky")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SquareMatrixShape);
REGISTER_OP("MatrixTriangularSolve")
    .Input("matrix: T")
    .Input("rhs: T")
    .Output("output: T")
    .Attr("lower: bool = true")
    .Attr("adjoint: bool = false")
    .Attr("T: {bfloat16, double, float, half, complex64, complex128}")
    .ShapeFunction(TriangularSolveShape);

// What TensorFlow 2 gives where there is no factor: NaN in the lower half.
template <typename T>
void FillWithNaN(int64_t size, T* factor) {
  for (int64_t i = 0; i < size; ++i) {
    std::fill_n(factor + i * size, i + 1, T(std::numeric_limits<double>::quiet_NaN()));
    std::fill_n(factor + i * size + i + 1, size - i - 1, T(0));
  }
}

template <typename T>
class CholeskyOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(input));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    T* out = output->mutable_data<T>();
    const int64_t size = all.rows;
    return ForEachMatrix(all.count, {size, size, size}, [&](int64_t i) {
      const linalg::MatrixView<T> matrix{input.data<T>() + i * all.size(), size, size};
      T* factor = out + i * all.size();
      if (!linalg::Cholesky(matrix, factor)) FillWithNaN(size, factor);
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }
};

template <typename T>
class TriangularSolveOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(lower_, construction.Attr<bool>("lower"));
    ASSIGN_OR_RETURN(adjoint_, construction.Attr<bool>("adjoint"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor &matrix = context->input(0), &right = context->input(1);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(matrix));
    ASSIGN_OR_RETURN(const MatrixBatch rights, MatrixBatch::Of(right));
    if (all.rows != rights.rows) {
      return InvalidArgument("In[0] and In[1] has different ndim or rows: ", matrix.shape(), " vs. ",
                             right.shape());
    }
    ASSIGN_OR_RETURN(const Shape one, all.With({}));
    ASSIGN_OR_RETURN(const Shape other, rights.With({}));
    ASSIGN_OR_RETURN(const Shape batch, BroadcastShapes(one, other));
    std::vector<int64_t> dims = batch.dims();
    dims.insert(dims.end(), {rights.rows, rights.columns});
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    T* out = output->mutable_data<T>();
    return ForEachMatrix(batch.num_elements(), {all.rows, all.columns, rights.columns}, [&](int64_t i) {
      const int64_t from = Place(batch, one, i), of_right = Place(batch, other, i);
      const linalg::MatrixView<T> triangle{matrix.data<T>() + from * all.size(), all.rows, all.rows};
      const linalg::MatrixView<T> wanted{right.data<T>() + of_right * rights.size(), rights.rows,
                                         rights.columns};
      linalg::SolveTriangle(triangle, lower_, adjoint_, wanted, out + i * rights.size());
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  // Which element of a tensor of shape `inner` stands where element i of `outer` does.
  static int64_t Place(const Shape& outer, const Shape& inner, int64_t i) {
    int64_t place = 0, stride = 1;
    for (int k = 1; k <= inner.rank(); ++k) {
      const int64_t dim = inner.dim(inner.rank() - k), of_outer = outer.dim(outer.rank() - k);
      if (dim > 1) place += i % of_outer * stride;
      stride *= dim;
      i /= of_outer;
    }
    return place;
  }

  bool lower_ = true;
  bool adjoint_ = false;
};

#define REGISTER(T)                                                            \
  REGISTER_KERNEL(Kernel("Cholesky").OnCpu().Type<T>("T"), CholeskyOp<T>);     \
  REGISTER_KERNEL(Kernel("MatrixTriangularSolve").OnCpu().Type<T>("T"), TriangularSolveOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
