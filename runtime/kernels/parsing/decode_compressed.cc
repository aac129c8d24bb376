// DecodeCompressed: the bytes of strings that are compressed.
#include <limits>

#include "graph/shape_context.h"
#include "io/bytes_input.h"
#include "io/whole_file.h"
#include "io/zlib.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

REGISTER_OP("DecodeCompressed")
    .Input("bytes: string")
    .Output("output: string")
    .Attr("compression_type: string = ''")
    .ShapeFunction(UnchangedShape);

class DecodeCompressedOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string name, construction.Attr<std::string>("compression_type"));
    ASSIGN_OR_RETURN(compression_, CompressionOf(name));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const Tensor& bytes = context->input(0);
    std::vector<std::string> decoded(static_cast<size_t>(bytes.num_elements()));
    for (size_t i = 0; i < decoded.size(); ++i) {
      auto packed = std::make_unique<BytesInput>(bytes.data<std::string>()[i]);
      ASSIGN_OR_RETURN(const std::unique_ptr<InputStream> in,
                       Decompressed(std::move(packed), compression_));
      RETURN_IF_ERROR(AppendBytes(in.get(), std::numeric_limits<size_t>::max(), &decoded[i]));
    }
    context->SetOutput(0, Tensor::Strings(bytes.shape(), std::move(decoded)));
    return OkStatus();
  }
  bool IsExpensive() const override { return true; }

 private:
  Compression compression_ = Compression::kNone;
};

REGISTER_KERNEL(Kernel("DecodeCompressed").OnCpu(), DecodeCompressedOp);

}  // namespace
}  // namespace tfbuild
