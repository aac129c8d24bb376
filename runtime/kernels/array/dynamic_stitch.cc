// DynamicStitch and ParallelDynamicStitch put slices where indices say, later ones over earlier
// ones; DynamicPartition deals the slices of a tensor out to several.
#include <algorithm>
#include <string>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/strided_copy.h"
#include "tensor/complex.h"
#include "tensor/variant.h"

namespace tfbuild {
namespace {

// How many slices the result has when all indices are known while the graph is built.
int64_t StitchedSlices(ShapeContext* context, int pieces) {
  int64_t count = 0;
  for (int i = 0; i < pieces; ++i) {
    const Tensor* indices = context->input_tensor(i);
    if (indices == nullptr) return kUnknownDim;
    const int32_t* begin = indices->data<int32_t>();
    for (int64_t k = 0; k < indices->num_elements(); ++k) {
      count = std::max<int64_t>(count, int64_t{begin[k]} + 1);
    }
  }
  return count;
}

Status StitchShape(ShapeContext* context) {
  const int pieces = context->num_inputs() / 2;
  PartialShape rest;
  for (int i = 0; i < pieces; ++i) {
    const PartialShape& indices = context->input(i);
    const PartialShape& data = context->input(pieces + i);
    if (!indices.known_rank() || !data.known_rank()) continue;
    if (indices.rank() > data.rank()) {
      return InvalidArgument("data of shape ", data, " does not begin with the shape ", indices,
                             " of its indices");
    }
    const auto middle = data.dims().begin() + indices.rank();
    const PartialShape head(std::vector<int64_t>(data.dims().begin(), middle));
    RETURN_IF_ERROR(head.MergeWith(indices).status());
    ASSIGN_OR_RETURN(rest, rest.MergeWith(std::vector<int64_t>(middle, data.dims().end())));
  }
  if (rest.known_rank()) {
    std::vector<int64_t> dims = rest.dims();
    dims.insert(dims.begin(), StitchedSlices(context, pieces));
    context->set_output(0, PartialShape(std::move(dims)));
  }
  return OkStatus();
}

#define TFBUILD_STITCH_OP(NAME)   \
  REGISTER_OP(NAME)               \
      .Input("indices: N * int32") \
      .Input("data: N * T")       \
      .Output("merged: T")        \
      .Attr("N: int >= 1")        \
      .Attr("T: type")            \
      .ShapeFunction(StitchShape)
TFBUILD_STITCH_OP("DynamicStitch");
TFBUILD_STITCH_OP("ParallelDynamicStitch");

Status PartitionShape(ShapeContext* context) {
  const PartialShape& data = context->input(0);
  const PartialShape& partitions = context->input(1);
  if (!data.known_rank() || !partitions.known_rank()) return OkStatus();
  if (partitions.rank() > data.rank()) {
    return InvalidArgument("data of shape ", data, " does not begin with the shape ", partitions,
                           " of partitions");
  }
  const auto middle = data.dims().begin() + partitions.rank();
  const PartialShape head(std::vector<int64_t>(data.dims().begin(), middle));
  RETURN_IF_ERROR(head.MergeWith(partitions).status());
  std::vector<int64_t> dims(middle, data.dims().end());
  dims.insert(dims.begin(), kUnknownDim);
  for (int i = 0; i < context->num_outputs(); ++i) context->set_output(i, PartialShape(dims));
  return OkStatus();
}

REGISTER_OP("DynamicPartition")
    .Input("data: T")
    .Input("partitions: int32")
    .Output("outputs: num_partitions * T")
    .Attr("num_partitions: int >= 1")
    .Attr("T: type")
    .ShapeFunction(PartitionShape);

// The dimensions of data behind those of its indices; an error unless it begins with them.
Result<std::vector<int64_t>> SliceDims(const Tensor& data, const Tensor& indices) {
  const std::vector<int64_t>& whole = data.shape().dims();
  const std::vector<int64_t>& head = indices.shape().dims();
  if (head.size() > whole.size() || !std::equal(head.begin(), head.end(), whole.begin())) {
    return InvalidArgument("data of shape ", data.shape(), " does not begin with the shape ",
                           indices.shape(), " of its indices");
  }
  return std::vector<int64_t>(whole.begin() + static_cast<int64_t>(head.size()), whole.end());
}

int64_t Product(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

// Copied, since a fed array may change while a step runs.
std::vector<int32_t> Numbers(const Tensor& indices) {
  const int32_t* begin = indices.data<int32_t>();
  return std::vector<int32_t>(begin, begin + indices.num_elements());
}

template <typename E>
void CopySlice(const Tensor& from, int64_t at, int64_t width, Tensor* to, int64_t place) {
  std::copy_n(from.data<E>() + at * width, width, to->mutable_data<E>() + place * width);
}

void CopySlice(const Tensor& from, int64_t at, int64_t width, Tensor* to, int64_t place) {
  if (from.dtype() == DType::kVariant) return CopySlice<Variant>(from, at, width, to, place);
  switch (DTypeSize(from.dtype())) {
    case 0: return CopySlice<std::string>(from, at, width, to, place);
    case 1: return CopySlice<uint8_t>(from, at, width, to, place);
    case 2: return CopySlice<uint16_t>(from, at, width, to, place);
    case 4: return CopySlice<uint32_t>(from, at, width, to, place);
    case 8: return CopySlice<uint64_t>(from, at, width, to, place);
    default: return CopySlice<std::complex<double>>(from, at, width, to, place);
  }
}

class StitchOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const int pieces = context->num_inputs() / 2;
    std::vector<std::vector<int32_t>> places;
    std::vector<int64_t> rest;
    int64_t count = 0;
    for (int i = 0; i < pieces; ++i) {
      ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                       SliceDims(context->input(pieces + i), context->input(i)));
      if (i > 0 && dims != rest) {
        return InvalidArgument("data[", i, "] of shape ", context->input(pieces + i).shape(),
                               " has slices of another shape than data[0] of shape ",
                               context->input(pieces).shape());
      }
      rest = dims;
      places.push_back(Numbers(context->input(i)));
      StopLook look;
      for (const int32_t place : places.back()) {
        look.Turn();
        if (place < 0) return InvalidArgument("indices[", i, "] holds the negative number ", place);
        count = std::max<int64_t>(count, int64_t{place} + 1);
      }
    }
    const int64_t width = Product(rest);
    rest.insert(rest.begin(), count);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(rest)));
    ASSIGN_OR_RETURN(Tensor * merged, context->AllocateOutput(0, shape));
    if (shape.num_elements() == 0) return OkStatus();
    // Places that no index names hold zeros.
    if (merged->dtype() != DType::kString) RETURN_IF_ERROR(RunZero(context, merged));
    for (int i = 0; i < pieces; ++i) {
      const std::vector<int32_t>& named = places[static_cast<size_t>(i)];
      StopLook look;
      for (size_t k = 0; k < named.size(); ++k) {
        look.Turns(1 + width);
        CopySlice(context->input(pieces + i), static_cast<int64_t>(k), width, merged, named[k]);
      }
    }
    return OkStatus();
  }
};

class PartitionOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& data = context->input(0);
    ASSIGN_OR_RETURN(const std::vector<int64_t> rest, SliceDims(data, context->input(1)));
    const std::vector<int32_t> numbers = Numbers(context->input(1));
    const int outputs = context->num_outputs();
    std::vector<int64_t> counts(static_cast<size_t>(outputs), 0);
    StopLook look;
    for (size_t i = 0; i < numbers.size(); ++i) {
      look.Turn();
      if (numbers[i] < 0 || numbers[i] >= outputs) {
        return InvalidArgument("partitions[", i, "] = ", numbers[i], " is not in [0, ", outputs,
                               ")");
      }
      ++counts[static_cast<size_t>(numbers[i])];
    }
    std::vector<Tensor*> tensors;
    for (int i = 0; i < outputs; ++i) {
      std::vector<int64_t> dims = rest;
      dims.insert(dims.begin(), counts[static_cast<size_t>(i)]);
      ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::move(dims)));
      ASSIGN_OR_RETURN(Tensor * tensor, context->AllocateOutput(i, shape));
      tensors.push_back(tensor);
    }
    const int64_t width = Product(rest);
    std::vector<int64_t> next(static_cast<size_t>(outputs), 0);
    for (size_t i = 0; width > 0 && i < numbers.size(); ++i) {
      look.Turns(1 + width);
      const size_t number = static_cast<size_t>(numbers[i]);
      CopySlice(data, static_cast<int64_t>(i), width, tensors[number], next[number]++);
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("DynamicStitch").OnCpu(), StitchOp);
REGISTER_KERNEL(Kernel("ParallelDynamicStitch").OnCpu(), StitchOp);
REGISTER_KERNEL(Kernel("DynamicPartition").OnCpu(), PartitionOp);

}  // namespace
}  // namespace tfbuild
