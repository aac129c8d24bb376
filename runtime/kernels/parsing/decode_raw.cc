// DecodeRaw: the bytes of strings as numbers.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/stop_look.h"
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, "
          "bool, bfloat16}")
    .Attr("little_endian: bool = true")
    .ShapeFunction([](ShapeContext* context) {
      if (!context->input(0).known_rank()) return OkStatus();
      std::vector<int64_t> dims = context->input(0).dims();
      dims.push_back(kUnknownDim);
      context->set_output(0, PartialShape(std::move(dims)));
      return OkStatus();
    });

class DecodeRawOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(dtype_, construction.Attr<DType>("out_type"));
    ASSIGN_OR_RETURN(little_endian_, construction.Attr<bool>("little_endian"));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    const std::string* const strings = input.data<std::string>();
    std::vector<int64_t> dims = input.shape().dims();
    const size_t length = input.num_elements() == 0 ? 0 : strings[0].size();
    const size_t size = static_cast<size_t>(DTypeSize(dtype_));
    for (int64_t i = 1; i < input.num_elements(); ++i) {
      if (strings[i].size() == length) continue;
      return InvalidArgument("DecodeRaw requires input strings to all be the same size, but element ",
                             i, " has size ", strings[i].size(), " != ", length);
    }
    if (length % size != 0) {
      return InvalidArgument("Input to DecodeRaw has length ", length,
                             " that is not a multiple of ", size, ", the size of ",
                             DTypeName(dtype_));
    }
    dims.push_back(static_cast<int64_t>(length / size));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(Tensor * output, context->AllocateOutput(0, shape));
    char* to = static_cast<char*>(output->raw());
    StopLook look;
    for (int64_t i = 0; i < input.num_elements() && length > 0; ++i, to += length) {
      look.Turns(static_cast<int64_t>(length) / 8 + 1);
      std::memcpy(to, strings[i].data(), length);
      Arrange(to, length);
    }
    return OkStatus();
  }

 private:
  // From bytes of the other order, and to what a bool may be.
  void Arrange(char* bytes, size_t length) const {
    if (dtype_ == DType::kBool) {
      std::transform(bytes, bytes + length, bytes, [](char byte) { return byte != 0 ? 1 : 0; });
    }
    if (little_endian_) return;
    const size_t size = static_cast<size_t>(DTypeSize(dtype_)) / (IsComplex(dtype_) ? 2 : 1);
    for (size_t at = 0; at < length; at += size) std::reverse(bytes + at, bytes + at + size);
  }

  DType dtype_ = DType::kInvalid;
  bool little_endian_ = true;
};

REGISTER_KERNEL(Kernel("DecodeRaw").OnCpu(), DecodeRawOp);

}  // namespace
}  // namespace tfbuild
