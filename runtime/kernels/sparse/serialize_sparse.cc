// SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse: a sparse tensor as
// one row of three, indices, values and shape, that queues and datasets take like any other tensor.
// Each of the three is a serialized TensorProto, or a variant that holds the tensor itself.
#include <cstring>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "graph/tensor_proto.h"
#include "kernels/sparse/sparse_input.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

constexpr int64_t kParts = 3;

Status RowShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 2).status());
  context->set_output(0, PartialShape({kParts}));
  return OkStatus();
}
Status RowsShape(ShapeContext* context) {
  RETURN_IF_ERROR(context->WithRank(0, 2).status());
  context->set_output(0, PartialShape({kUnknownDim, kParts}));
  return OkStatus();
}
Status SparseShape(ShapeContext* context) {
  context->set_output(0, PartialShape({kUnknownDim, kUnknownDim}));
  context->set_output(1, PartialShape({kUnknownDim}));
  context->set_output(2, PartialShape({kUnknownDim}));
  return OkStatus();
}

#define TFBUILD_SERIALIZE_OP(name)             \
  REGISTER_OP(name)                           \
      .Input("sparse_indices: int64")         \
      .Input("sparse_values: T")              \
      .Input("sparse_shape: int64")           \
      .Output("serialized_sparse: out_type")  \
      .Attr("T: type")                        \
      .Attr("out_type: {string, variant} = DT_STRING")
TFBUILD_SERIALIZE_OP("SerializeSparse").ShapeFunction(RowShape);
TFBUILD_SERIALIZE_OP("SerializeManySparse").ShapeFunction(RowsShape);
REGISTER_OP("DeserializeSparse")
    .Input("serialized_sparse: Tserialized")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .Attr("Tserialized: {string, variant} = DT_STRING")
    .ShapeFunction(SparseShape);
REGISTER_OP("DeserializeManySparse")
    .Input("serialized_sparse: string")
    .Output("sparse_indices: int64")
    .Output("sparse_values: dtype")
    .Output("sparse_shape: int64")
    .Attr("dtype: type")
    .ShapeFunction(SparseShape);

struct HeldTensor final : VariantValue {
  explicit HeldTensor(Tensor value) : tensor(std::move(value)) {}
  const Tensor tensor;
};

void PutTensor(Tensor tensor, Tensor* row, int64_t at) {
  if (row->dtype() == DType::kString) {
    row->mutable_data<std::string>()[at] = SerializeTensor(tensor);
  } else {
    row->mutable_data<Variant>()[at] = std::make_shared<HeldTensor>(std::move(tensor));
  }
}

Result<Tensor> TensorAt(const Tensor& row, int64_t at, ParseBudget* budget) {
  if (row.dtype() == DType::kString) return ParseTensor(row.data<std::string>()[at], budget);
  const auto* held = dynamic_cast<const HeldTensor*>(row.data<Variant>()[at].get());
  if (held == nullptr) return InvalidArgument("element ", at, " holds no part of a sparse tensor");
  return held->tensor;
}

// Copies `count` values from place `from_at` of a vector to place `at` of another one.
void CopyValues(const Tensor& from, int64_t from_at, int64_t count, Tensor* to, int64_t at) {
  if (count == 0) return;
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<std::string>() + from_at, count, to->mutable_data<std::string>() + at);
    return;
  }
  const size_t bytes = from.num_bytes() / static_cast<size_t>(from.num_elements());
  std::memcpy(to->mutable_data<char>() + static_cast<size_t>(at) * bytes,
              from.data<char>() + static_cast<size_t>(from_at) * bytes,
              static_cast<size_t>(count) * bytes);
}

class SerializingOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(out_type_, construction.Attr<DType>("out_type"));
    ASSIGN_OR_RETURN(const DType values, construction.Attr<DType>("T"));
    if (values != DType::kVariant && values != DType::kResource) return OkStatus();
    return InvalidArgument("values of ", DTypeName(values), " are not serialized");
  }

 protected:
  DType out_type_ = DType::kInvalid;
};

class SerializeSparseOp final : public SerializingOp {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(SparsePlaces::Read(context->input(0), context->input(1), context->input(2))
                        .status());
    ASSIGN_OR_RETURN(Tensor row, Tensor::Allocate(CpuAllocator(), out_type_, Shape{kParts}));
    for (int i = 0; i < kParts; ++i) PutTensor(context->input(i), &row, i);
    context->SetOutput(0, std::move(row));
    return OkStatus();
  }
};

// The first dimension is that of a batch: each row is a sparse tensor of one dimension less.
class SerializeManySparseOp final : public SerializingOp {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& values = context->input(1);
    ASSIGN_OR_RETURN(const SparsePlaces places,
                     SparsePlaces::Read(context->input(0), values, context->input(2)));
    if (places.rank() == 0) return InvalidArgument("Rank of input SparseTensor should be > 1");
    RETURN_IF_ERROR(places.CheckBounds());
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({places.dims[0], kParts}));
    ASSIGN_OR_RETURN(Tensor rows, Tensor::Allocate(CpuAllocator(), out_type_, shape));
    int64_t begin = 0;
    StopLook look;
    for (int64_t row = 0; row < places.dims[0]; ++row) {
      look.Turn();
      int64_t end = begin;
      while (end < places.count && places.row(end)[0] == row) ++end;
      RETURN_IF_ERROR(PutRow(places, values, begin, end, row, &rows));
      begin = end;
    }
    if (begin < places.count) return InvalidArgument("Received an index that was out of order");
    context->SetOutput(0, std::move(rows));
    return OkStatus();
  }

 private:
  Status PutRow(const SparsePlaces& places, const Tensor& values, int64_t begin, int64_t end,
                int64_t row, Tensor* rows) const {
    const int64_t count = end - begin, rank = static_cast<int64_t>(places.rank()) - 1;
    ASSIGN_OR_RETURN(Tensor indices,
                     Tensor::Allocate(CpuAllocator(), DType::kInt64, Shape{count, rank}));
    ASSIGN_OR_RETURN(Tensor some, Tensor::Allocate(CpuAllocator(), values.dtype(), Shape{count}));
    StopLook look;
    for (int64_t i = 0; i < count; ++i) {
      look.Turn();
      std::copy_n(places.row(begin + i) + 1, rank, indices.mutable_data<int64_t>() + i * rank);
    }
    CopyValues(values, begin, count, &some, 0);
    PutTensor(std::move(indices), rows, kParts * row);
    PutTensor(std::move(some), rows, kParts * row + 1);
    const std::vector<int64_t> dims(places.dims.begin() + 1, places.dims.end());
    PutTensor(Tensor::Vector<int64_t>(dims), rows, kParts * row + 2);
    return OkStatus();
  }
};

// The dimensions of the input but for the last one come before those of the sparse tensors, of which
// each dimension is the largest there is.
class DeserializeSparseOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("dtype"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    const Tensor& rows = context->input(0);
    if (rows.rank() == 0 || rows.dim(rows.rank() - 1) != kParts) {
      return InvalidArgument("Serialized sparse tensors have 3 columns, but the shape is ",
                             rows.shape());
    }
    std::vector<Sparse> all;
    ParseBudget budget;
    int64_t total = 0;
    StopLook look;
    for (int64_t at = 0; at < rows.num_elements(); at += kParts) {
      look.Turn();
      ASSIGN_OR_RETURN(Sparse one, ReadRow(rows, at, &budget));
      if (!all.empty() && one.places.rank() != all[0].places.rank()) {
        return InvalidArgument("Inconsistent rank across SparseTensors: rank prior to "
                               "SparseTensor[", all.size(), "] was: ", all[0].places.rank(),
                               " but rank of SparseTensor[", all.size(), "] is: ",
                               one.places.rank());
      }
      total += one.places.count;
      all.push_back(std::move(one));
    }
    return Join(context, all, total, rows.shape());
  }

 private:
  struct Sparse {
    SparsePlaces places;
    Tensor values;
  };

  Result<Sparse> ReadRow(const Tensor& rows, int64_t at, ParseBudget* budget) const {
    ASSIGN_OR_RETURN(const Tensor indices, TensorAt(rows, at, budget));
    ASSIGN_OR_RETURN(Tensor values, TensorAt(rows, at + 1, budget));
    ASSIGN_OR_RETURN(const Tensor shape, TensorAt(rows, at + 2, budget));
    if (values.dtype() != dtype_) {
      return InvalidArgument("Requested SparseTensor of type ", DTypeName(dtype_),
                             " but SparseTensor[", at / kParts, "].values.dtype() == ",
                             DTypeName(values.dtype()));
    }
    ASSIGN_OR_RETURN(SparsePlaces places, SparsePlaces::Read(indices, values, shape));
    return Sparse{std::move(places), std::move(values)};
  }

  Status Join(OpKernelContext* context, const std::vector<Sparse>& all, int64_t total,
              const Shape& rows) const {
    const std::vector<int64_t> lead(rows.dims().begin(), rows.dims().end() - 1);
    const size_t own = all.empty() ? 0 : all[0].places.rank();
    const int64_t rank = static_cast<int64_t>(lead.size() + own);
    ASSIGN_OR_RETURN(Tensor * indices, context->AllocateOutput(0, Shape{total, rank}));
    ASSIGN_OR_RETURN(Tensor * values, context->AllocateOutput(1, Shape{total}));
    std::vector<int64_t> dims = lead;
    dims.resize(lead.size() + own, 0);
    int64_t* place = indices->mutable_data<int64_t>();
    int64_t at = 0;
    StopLook look;
    for (size_t number = 0; number < all.size(); ++number) {
      look.Turn();
      const SparsePlaces& places = all[number].places;
      for (size_t k = 0; k < own; ++k) {
        dims[lead.size() + k] = std::max(dims[lead.size() + k], places.dims[k]);
      }
      for (int64_t i = 0; i < places.count; ++i, place += rank) {
        int64_t rest = static_cast<int64_t>(number);
        for (size_t k = lead.size(); k-- > 0; rest /= lead[k]) place[k] = rest % lead[k];
        std::copy_n(places.row(i), own, place + lead.size());
      }
      CopyValues(all[number].values, 0, places.count, values, at);
      at += places.count;
    }
    context->SetOutput(2, Tensor::Vector<int64_t>(dims));
    return OkStatus();
  }

  DType dtype_ = DType::kInvalid;
};

REGISTER_KERNEL(Kernel("SerializeSparse").OnCpu(), SerializeSparseOp);
REGISTER_KERNEL(Kernel("SerializeManySparse").OnCpu(), SerializeManySparseOp);
REGISTER_KERNEL(Kernel("DeserializeSparse").OnCpu(), DeserializeSparseOp);
REGISTER_KERNEL(Kernel("DeserializeManySparse").OnCpu(), DeserializeSparseOp);

}  // namespace
}  // namespace tfbuild
