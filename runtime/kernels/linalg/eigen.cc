// SelfAdjointEigV2 and Svd.
#include <algorithm>
#include <limits>

#include "kernels/linalg/matrix.h"
#include "linalg/factors.h"

namespace tfbuild {
namespace {

// The leading dimensions, and after them `tail`.
PartialShape WithTail(const PartialShape& input, const std::vector<int64_t>& tail) {
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end() - 2);
  dims.insert(dims.end(), tail.begin(), tail.end());
  return PartialShape(dims);
}

Status EigenShape(ShapeContext* context) {
  RETURN_IF_ERROR(SquareMatrixShape(context));
  const PartialShape& input = context->input(0);
  context->set_output(0, PartialShape());
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool vectors, context->Attr<bool>("compute_v"));
  const int64_t size = input.dim(input.rank() - 1);
  context->set_output(0, WithTail(input, {size}));
  context->set_output(1, vectors ? input : PartialShape({0}));
  return OkStatus();
}

Status SvdShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRankAtLeast(0, 2));
  const PartialShape& input = context->input(0);
  if (!input.known_rank()) return OkStatus();
  ASSIGN_OR_RETURN(const bool vectors, context->Attr<bool>("compute_uv"));
  ASSIGN_OR_RETURN(const bool full, context->Attr<bool>("full_matrices"));
  const int64_t rows = input.dim(input.rank() - 2), columns = input.dim(input.rank() - 1);
  const bool known = rows != kUnknownDim && columns != kUnknownDim;
  const int64_t inner = known ? std::min(rows, columns) : kUnknownDim;
  context->set_output(0, WithTail(input, {inner}));
  for (int i = 1; i < 3; ++i) {
    const int64_t side = i == 1 ? rows : columns;
    context->set_output(i, vectors ? WithTail(input, {side, full ? side : inner})
                                   : PartialShape({0}));
  }
  return OkStatus();
}

REGISTER_OP("SelfAdjointEigV2")
    .Input("input: T")
    .Output("e: T")
    .Output("v: T")
    .Attr("compute_v: bool = true")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(EigenShape);
REGISTER_OP("Svd")
    .Input("input: T")
    .Output("s: T")
    .Output("u: T")
    .Output("v: T")
    .Attr("compute_uv: bool = true")
    .Attr("full_matrices: bool = false")
    .Attr("T: {double, float, half, complex64, complex128}")
    .ShapeFunction(SvdShape);

template <typename T>
class SelfAdjointEigOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(vectors_, construction.Attr<bool>("compute_v"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::OfSquare(input));
    const int64_t size = all.rows;
    ASSIGN_OR_RETURN(const Shape shape, all.With({size}));
    ASSIGN_OR_RETURN(Tensor * e, context->AllocateOutput(0, shape));
    ASSIGN_OR_RETURN(Tensor * v, context->AllocateOutput(1, vectors_ ? input.shape() : Shape{0}));
    if (input.num_elements() == 0) return OkStatus();
    T* values = e->mutable_data<T>();
    T* vectors = v->mutable_data<T>();
    return ForEachMatrix(all.count, {16, size, size, size}, [&](int64_t m) {
      const linalg::MatrixView<T> matrix{input.data<T>() + m * all.size(), size, size};
      T* columns = vectors_ ? vectors + m * all.size() : nullptr;
      if (!linalg::SelfAdjointEigen(matrix, values + m * size, columns)) {
        return InvalidArgument("Self-adjoint eigen decomposition was not successful. The input might "
                               "not be valid.");
      }
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool vectors_ = true;
};

template <typename T>
class SvdOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(vectors_, construction.Attr<bool>("compute_uv"));
    ASSIGN_OR_RETURN(full_, construction.Attr<bool>("full_matrices"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ASSIGN_OR_RETURN(const MatrixBatch all, MatrixBatch::Of(input));
    const int64_t rows = all.rows, columns = all.columns, inner = std::min(rows, columns);
    ASSIGN_OR_RETURN(const Shape shape, all.With({inner}));
    ASSIGN_OR_RETURN(Tensor * s, context->AllocateOutput(0, shape));
    T* values = s->mutable_data<T>();
    T* sides[2];
    int64_t widths[2];
    bool is_empty = shape.num_elements() == 0;
    const int64_t lengths[2] = {rows, columns};
    for (int i = 0; i < 2; ++i) {
      widths[i] = full_ ? lengths[i] : inner;
      ASSIGN_OR_RETURN(Shape side, all.With({lengths[i], widths[i]}));
      if (!vectors_) side = Shape{0};
      ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(i + 1, side));
      sides[i] = output->mutable_data<T>();
      is_empty = is_empty && side.num_elements() == 0;
    }
    if (is_empty) return OkStatus();
    const int64_t sizes[2] = {rows * widths[0], columns * widths[1]};
    return ForEachMatrix(all.count, {16, rows, columns, inner}, [&](int64_t m) {
      const linalg::MatrixView<T> matrix{input.data<T>() + m * all.size(), rows, columns};
      T* left = vectors_ ? sides[0] + m * sizes[0] : nullptr;
      T* right = vectors_ ? sides[1] + m * sizes[1] : nullptr;
      if (linalg::Svd(matrix, full_, values + m * inner, left, right)) return OkStatus();
      const T nan = T(std::numeric_limits<double>::quiet_NaN());  // as in TensorFlow 2
      std::fill_n(values + m * inner, inner, nan);
      if (vectors_) {
        std::fill_n(left, sizes[0], nan);
        std::fill_n(right, sizes[1], nan);
      }
      return OkStatus();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  bool vectors_ = true;
  bool full_ = false;
};

#define REGISTER(T)                                                                        \
  REGISTER_KERNEL(Kernel("SelfAdjointEigV2").OnCpu().Type<T>("T"), SelfAdjointEigOp<T>);   \
  REGISTER_KERNEL(Kernel("Svd").OnCpu().Type<T>("T"), SvdOp<T>);
REGISTER(float)
REGISTER(double)
TFBUILD_COMPLEX_TYPES(REGISTER)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
