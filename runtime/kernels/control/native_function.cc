// NativeFunction: a kernel of the user's in machine code as an op.
#include "base/fork.h"
#include "graph/shape_context.h"
#include "kernels/framework/host_function.h"
#include "kernels/framework/op_kernel.h"

namespace tfbuild {
namespace {

// An output has the shape of input shape_of[i], or where that is -1 its output_shapes[i].
struct OutputShapes {
  std::vector<int64_t> shape_of;
  std::vector<PartialShape> shapes;
};

template <typename Attrs>
Result<OutputShapes> ReadShapes(const Attrs& attrs, int num_inputs, int num_outputs) {
  OutputShapes found;
  ASSIGN_OR_RETURN(found.shape_of, attrs.template Attr<std::vector<int64_t>>("shape_of"));
  ASSIGN_OR_RETURN(found.shapes,
                   attrs.template Attr<std::vector<PartialShape>>("output_shapes"));
  const size_t outputs = static_cast<size_t>(num_outputs);
  if (found.shape_of.size() != outputs || found.shapes.size() != outputs) {
    return InvalidArgument("shape_of and output_shapes must have an entry for each of the ",
                           num_outputs, " outputs, got ", found.shape_of.size(), " and ",
                           found.shapes.size());
  }
  for (size_t i = 0; i < outputs; ++i) {
    if (found.shape_of[i] < -1 || found.shape_of[i] >= num_inputs) {
      return InvalidArgument("output ", i, " is to have the shape of input ", found.shape_of[i],
                             ", but there are ", num_inputs, " inputs");
    }
    if (found.shape_of[i] < 0 && !found.shapes[i].fully_known()) {
      return InvalidArgument("the shape of output ", i, " is not known: ",
                             found.shapes[i].ToString());
    }
  }
  return found;
}

Status NativeShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const OutputShapes found,
                   ReadShapes(*context, context->num_inputs(), context->num_outputs()));
  for (int i = 0; i < context->num_outputs(); ++i) {
    const int64_t from = found.shape_of[static_cast<size_t>(i)];
    context->set_output(i, from < 0 ? found.shapes[static_cast<size_t>(i)]
                                    : context->input(static_cast<int>(from)));
  }
  return OkStatus();
}

REGISTER_OP("NativeFunction")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("token: string")
    .Attr("Tin: list(type) >= 0")
    .Attr("Tout: list(type) >= 1")
    .Attr("shape_of: list(int)")
    .Attr("output_shapes: list(shape)")
    .ShapeFunction(NativeShape);

class NativeFunctionOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(token_, construction.Attr<std::string>("token"));
    std::vector<DType> inputs, outputs;
    ASSIGN_OR_RETURN(inputs, construction.Attr<std::vector<DType>>("Tin"));
    ASSIGN_OR_RETURN(outputs, construction.Attr<std::vector<DType>>("Tout"));
    for (const std::vector<DType>& dtypes : {inputs, outputs}) {
      for (const DType dtype : dtypes) {
        if (DTypeSize(dtype) == 0 || dtype == DType::kResource) {
          return InvalidArgument("elements of ", DTypeName(dtype), " are no plain bytes");
        }
      }
    }
    ASSIGN_OR_RETURN(shapes_, ReadShapes(construction, static_cast<int>(inputs.size()),
                                         static_cast<int>(outputs.size())));
    return OkStatus();
  }

  Status Compute(OpKernelContext* context) override {
    const NativeKernel kernel = FindNativeKernel(token_);
    if (kernel == nullptr) return InvalidArgument("native kernel ", token_, " is not found");
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    std::vector<const int64_t*> input_dims, output_dims;
    for (int i = 0; i < context->num_inputs(); ++i) {
      inputs.push_back(context->input(i).raw());
      input_dims.push_back(context->input(i).shape().dims().data());
    }
    for (int i = 0; i < context->num_outputs(); ++i) {
      ASSIGN_OR_RETURN(const Shape shape, ShapeOf(context, i));
      ASSIGN_OR_RETURN(Tensor* const output, context->AllocateOutput(i, shape));
      outputs.push_back(output->raw());
      output_dims.push_back(output->shape().dims().data());
    }
    int code = 0;
    {
      const ForkAllowed allowed;  // the program's own code, which may want the GIL
      code = kernel(inputs.data(), input_dims.data(), outputs.data(), output_dims.data());
    }
    return code == 0 ? OkStatus() : Internal("native kernel ", token_, " returned ", code);
  }

  bool IsExpensive() const override { return true; }

 private:
  Result<Shape> ShapeOf(OpKernelContext* context, int output) const {
    const size_t i = static_cast<size_t>(output);
    const int64_t from = shapes_.shape_of[i];
    if (from < 0) return shapes_.shapes[i].ToShape();
    return context->input(static_cast<int>(from)).shape();
  }

  std::string token_;
  OutputShapes shapes_;
};

REGISTER_KERNEL(Kernel("NativeFunction").OnCpu(), NativeFunctionOp);

}  // namespace
}  // namespace tfbuild
