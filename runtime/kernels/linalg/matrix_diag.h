#pragma once

// Diagonals of matrices and what lies near them, on whichever device: shapes and checks. A class of
// Moves says how elements, whatever they are, get to their places.

#include <algorithm>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/limited_product.h"

namespace tfbuild {

// How many matrices there are, and their sizes.
struct Matrices {
  int64_t count;
  int64_t rows;
  int64_t columns;

  static Result<Matrices> In(const Shape& shape) {
    if (shape.rank() < 2) {
      return InvalidArgument("input must be at least 2-dim, received shape: ", shape);
    }
    const int64_t rows = shape.dim(shape.rank() - 2), columns = shape.dim(shape.rank() - 1);
    const int64_t sides[] = {rows, columns};
    const int64_t size = LimitedProduct(std::begin(sides), std::end(sides));
    return Matrices{size == 0 ? 0 : shape.num_elements() / size, rows, columns};
  }
  int64_t diagonal() const { return std::min(rows, columns); }
  std::vector<int64_t> DiagonalDims(const Shape& shape) const {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 2);
    dims.push_back(diagonal());
    return dims;
  }
};

// What is kept of a matrix: so many diagonals below and above the main one, or all where negative.
struct Band {
  int64_t lower;
  int64_t upper;
};

// What lies on the host alone has no elements to be moved by their bytes.
inline Status CheckPlain(const Tensor& tensor) {
  if (!IsHostObject(tensor.dtype())) return OkStatus();
  return Unimplemented("diagonals of ", DTypeName(tensor.dtype()));
}

// Diagonals become matrices of zeros beside them.
template <typename Moves>
Status MakeMatrices(OpKernelContext* context, const std::vector<int64_t>& dims,
                    const Matrices& all) {
  RETURN_IF_ERROR(CheckPlain(context->input(0)));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  if (output->num_elements() == 0) return OkStatus();
  return Moves::ToMatrices(context, all, context->input(0), output);
}

// Matrices become their diagonals.
template <typename Moves>
Status TakeDiagonals(OpKernelContext* context, const std::vector<int64_t>& dims,
                     const Matrices& all) {
  RETURN_IF_ERROR(CheckPlain(context->input(0)));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  if (output->num_elements() == 0) return OkStatus();
  return Moves::FromMatrices(context, all, context->input(0), output);
}

template <typename Moves>
class DiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    if (shape.rank() == 0) return InvalidArgument("Input must be at least rank 1, got 0");
    std::vector<int64_t> dims = shape.dims();
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    const int64_t size = shape.num_elements();
    return MakeMatrices<Moves>(context, dims, {1, size, size});
  }
};

template <typename Moves>
class DiagPartOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    const int half = shape.rank() / 2;
    bool fits = shape.rank() % 2 == 0 && half > 0;
    int64_t size = 1;
    std::vector<int64_t> dims;
    for (int i = 0; fits && i < half; ++i) {
      fits = shape.dim(i) == shape.dim(half + i);
      size *= shape.dim(i);
      dims.push_back(shape.dim(i));
    }
    if (!fits) {
      return InvalidArgument("The rank of the tensor should be even and positive, and its halves "
                             "equal, but its shape is ", shape);
    }
    return TakeDiagonals<Moves>(context, dims, {1, size, size});
  }
};

template <typename Moves>
class MatrixDiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    if (shape.rank() == 0) return InvalidArgument("diagonal must be at least 1-dim, got shape []");
    std::vector<int64_t> dims = shape.dims();
    const int64_t size = dims.back();
    dims.push_back(size);
    const int64_t count = size == 0 ? 0 : shape.num_elements() / size;
    return MakeMatrices<Moves>(context, dims, {count, size, size});
  }
};

template <typename Moves>
class MatrixDiagPartOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(shape));
    return TakeDiagonals<Moves>(context, all.DiagonalDims(shape), all);
  }
};

template <typename Moves>
class MatrixSetDiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &diagonal = context->input(1);
    RETURN_IF_ERROR(CheckPlain(input));
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(input.shape()));
    ASSIGN_OR_RETURN(const Shape wanted, Shape::Make(all.DiagonalDims(input.shape())));
    if (diagonal.shape() != wanted) {
      return InvalidArgument("the diagonal of ", input.shape(), " has shape ", wanted, ", not ",
                             diagonal.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    return Moves::SetDiagonals(context, all, input, diagonal, output);
  }
};

template <typename Moves>
class MatrixBandPartOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    RETURN_IF_ERROR(CheckPlain(input));
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(input.shape()));
    Band band{};
    ASSIGN_OR_RETURN(band.lower, Limit(context->input(1), "num_lower", all.rows));
    ASSIGN_OR_RETURN(band.upper, Limit(context->input(2), "num_upper", all.columns));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    return Moves::KeepBand(context, all, band, input, output);
  }

 private:
  static Result<int64_t> Limit(const Tensor& value, const char* name, int64_t most) {
    if (value.rank() != 0) {
      return InvalidArgument(name, " must be scalar, got shape ", value.shape());
    }
    ASSIGN_OR_RETURN(const int64_t limit, ScalarFrom(value, name));
    if (limit > most) {
      return InvalidArgument(name, " must be negative or less or equal to ", most, " got: ", limit);
    }
    return limit;
  }
};

}  // namespace tfbuild
