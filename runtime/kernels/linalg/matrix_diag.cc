// Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag and MatrixBandPart: diagonals of
// matrices, and what lies near them.
#include <cstring>
#include <string>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/shape_inputs.h"
#include "tensor/complex.h"
#include "tensor/limited_product.h"

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

// Elements are copied by their bytes.
Status CheckPlain(const Tensor& tensor) {
  if (!IsHostObject(tensor.dtype())) return OkStatus();
  return Unimplemented("diagonals of ", DTypeName(tensor.dtype()));
}

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

// All of Diag, DiagPart, MatrixDiag and MatrixDiagPart: `matrices` of `rows` x `columns` elements
// and their diagonals.
enum class Way { kToMatrix, kFromMatrix };

Status CopyDiagonals(OpKernelContext* context, Way way, const std::vector<int64_t>& dims,
                     int64_t count, int64_t rows, int64_t columns) {
  const Tensor& input = context->input(0);
  RETURN_IF_ERROR(CheckPlain(input));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
  const int size = DTypeSize(input.dtype());
  const int64_t length = std::min(rows, columns), step = columns + 1;
  if (way == Way::kToMatrix) std::memset(output->raw(), 0, output->num_bytes());
  for (int64_t i = 0; i < count && length > 0; ++i) {
    if (way == Way::kToMatrix) {
      CopySteps(size, At(input, i * length), 1, At(output, i * rows * columns), step, length);
    } else {
      CopySteps(size, At(input, i * rows * columns), step, At(output, i * length), 1, length);
    }
  }
  return OkStatus();
}

class DiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    if (shape.rank() == 0) return InvalidArgument("Input must be at least rank 1, got 0");
    std::vector<int64_t> dims = shape.dims();
    dims.insert(dims.end(), shape.dims().begin(), shape.dims().end());
    const int64_t size = shape.num_elements();
    return CopyDiagonals(context, Way::kToMatrix, dims, 1, size, size);
  }
};

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
    return CopyDiagonals(context, Way::kFromMatrix, dims, 1, size, size);
  }
};

class MatrixDiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    if (shape.rank() == 0) return InvalidArgument("diagonal must be at least 1-dim, got shape []");
    std::vector<int64_t> dims = shape.dims();
    const int64_t size = dims.back();
    dims.push_back(size);
    const int64_t count = size == 0 ? 0 : shape.num_elements() / size;
    return CopyDiagonals(context, Way::kToMatrix, dims, count, size, size);
  }
};

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
};

std::vector<int64_t> DiagonalDims(const Shape& shape, const Matrices& all) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - 2);
  dims.push_back(std::min(all.rows, all.columns));
  return dims;
}

class MatrixDiagPartOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Shape& shape = context->input(0).shape();
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(shape));
    return CopyDiagonals(context, Way::kFromMatrix, DiagonalDims(shape, all), all.count, all.rows,
                         all.columns);
  }
};

class MatrixSetDiagOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &diagonal = context->input(1);
    RETURN_IF_ERROR(CheckPlain(input));
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(input.shape()));
    ASSIGN_OR_RETURN(const Shape wanted, Shape::Make(DiagonalDims(input.shape(), all)));
    if (diagonal.shape() != wanted) {
      return InvalidArgument("the diagonal of ", input.shape(), " has shape ", wanted, ", not ",
                             diagonal.shape());
    }
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    if (input.num_elements() == 0) return OkStatus();
    std::memcpy(output->raw(), input.raw(), input.num_bytes());
    const int64_t length = std::min(all.rows, all.columns);
    for (int64_t i = 0; i < all.count; ++i) {
      CopySteps(DTypeSize(input.dtype()), At(diagonal, i * length), 1,
                At(output, i * all.rows * all.columns), all.columns + 1, length);
    }
    return OkStatus();
  }
};

class MatrixBandPartOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    RETURN_IF_ERROR(CheckPlain(input));
    ASSIGN_OR_RETURN(const Matrices all, Matrices::In(input.shape()));
    ASSIGN_OR_RETURN(const int64_t lower, Limit(context->input(1), "num_lower", all.rows));
    ASSIGN_OR_RETURN(const int64_t upper, Limit(context->input(2), "num_upper", all.columns));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, input.shape()));
    std::memset(output->raw(), 0, output->num_bytes());
    const int64_t size = DTypeSize(input.dtype());
    for (int64_t row = 0; row < all.count * all.rows; ++row) {
      const int64_t i = row % all.rows;
      const int64_t begin = std::max<int64_t>(0, lower < 0 ? 0 : i - lower);
      const int64_t end = upper < 0 ? all.columns : std::min(all.columns, i + upper + 1);
      if (begin >= end) continue;
      const int64_t place = row * all.columns + begin;
      std::memcpy(At(output, place), At(input, place), static_cast<size_t>((end - begin) * size));
    }
    return OkStatus();
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

#define REGISTER(T)                                                        \
  REGISTER_KERNEL(Kernel("Diag").OnCpu().Type<T>("T"), DiagOp);            \
  REGISTER_KERNEL(Kernel("DiagPart").OnCpu().Type<T>("T"), DiagPartOp);
TFBUILD_FLOATING_TYPES(REGISTER)
TFBUILD_COMPLEX_TYPES(REGISTER)
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER
REGISTER_KERNEL(Kernel("MatrixDiag").OnCpu(), MatrixDiagOp);
REGISTER_KERNEL(Kernel("MatrixDiagPart").OnCpu(), MatrixDiagPartOp);
REGISTER_KERNEL(Kernel("MatrixSetDiag").OnCpu(), MatrixSetDiagOp);
REGISTER_KERNEL(Kernel("MatrixBandPart").OnCpu(), MatrixBandPartOp);

}  // namespace
}  // namespace tfbuild
