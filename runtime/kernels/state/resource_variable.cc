// VarHandleOp, ReadVariableOp and what else asks about a variable by its handle.
#include <limits>

#include "graph/shape_context.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/variable.h"

namespace tfbuild {
namespace {

Status ReadShape(ShapeContext* context) {
  ASSIGN_OR_RETURN(const DType dtype, context->Attr<DType>("dtype"));
  ASSIGN_OR_RETURN(PartialShape shape, context->variable_shape(0, dtype));
  context->set_output(0, std::move(shape));
  return OkStatus();
}

Status ShapeOfShape(ShapeContext* context) {
  const PartialShape shape = context->variable_shape(0);
  context->set_output(0, PartialShape({shape.known_rank() ? shape.rank() : kUnknownDim}));
  return OkStatus();
}

REGISTER_OP("VarHandleOp")
    .Output("resource: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("debug_name: string = ''")
    .Attr("dtype: type")
    .Attr("shape: shape")
    .Attr("allowed_devices: list(string) = []")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("VarIsInitializedOp")
    .Input("resource: resource")
    .Output("is_initialized: bool")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("ReadVariableOp")
    .Input("resource: resource")
    .Output("value: dtype")
    .Attr("dtype: type")
    .Stateful()
    .ShapeFunction(ReadShape);
// TensorFlow's savers have it in front of what they read.
REGISTER_OP("DisableCopyOnRead")
    .Input("resource: resource")
    .Stateful()
    .ShapeFunction(NoOutputs);
REGISTER_OP("VariableShape")
    .Input("input: resource")
    .Output("output: out_type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Stateful()
    .ShapeFunction(ShapeOfShape);
REGISTER_OP("DestroyResourceOp")
    .Input("resource: resource")
    .Attr("ignore_lookup_error: bool = true")
    .Stateful()
    .ShapeFunction(NoOutputs);

// Puts out the handle and makes nothing: that is for whoever first assigns.
class VarHandleOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(const std::string container, construction.Attr<std::string>("container"));
    ASSIGN_OR_RETURN(const std::string name, construction.Attr<std::string>("shared_name"));
    handle_ = HandleTensor(construction.resources->Handle<Variable>(container, name));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, handle_);
    return OkStatus();
  }

 private:
  Tensor handle_;
};

class VarIsInitializedOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Result<std::shared_ptr<Variable>> variable = VariableAt(*context, 0);
    bool initialized = false;
    if (variable.ok()) {
      std::lock_guard<std::mutex> lock((*variable)->mutex);
      initialized = (*variable)->value.initialized();
    } else if (variable.status().code() != Code::kFailedPrecondition) {
      return variable.status();
    }
    context->SetOutput(0, Tensor::Scalar<bool>(initialized));
    return OkStatus();
  }
};

class ReadVariableOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(Tensor value,
                     VariableValueAt(*context, 0, context->node().output(0).dtype));
    context->SetOutput(0, std::move(value));
    return OkStatus();
  }
};

// Values are never copied when they are read, only when one that is shared changes.
class DisableCopyOnReadOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override { return VariableAt(*context, 0).status(); }
};

template <typename T>
class VariableShapeOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<Variable> variable, VariableAt(*context, 0));
    Shape shape;
    {
      std::lock_guard<std::mutex> lock(variable->mutex);
      if (!variable->value.initialized()) {
        return FailedPrecondition("attempting to use an uninitialized variable");
      }
      shape = variable->value.shape();
    }
    std::vector<T> dims;
    for (const int64_t dim : shape.dims()) {
      if (dim > std::numeric_limits<T>::max()) {
        return InvalidArgument("dimension ", dim, " does not fit ", DTypeName(DTypeOf<T>::value));
      }
      dims.push_back(static_cast<T>(dim));
    }
    context->SetOutput(0, Tensor::Vector(dims));
    return OkStatus();
  }
};

class DestroyResourceOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(ignore_, construction.Attr<bool>("ignore_lookup_error"));
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t handle, HandleAt(*context, 0));
    const Status removed = context->step()->resources.Remove(handle);
    return ignore_ && removed.code() == Code::kNotFound ? OkStatus() : removed;
  }

 private:
  bool ignore_ = true;
};

#define REGISTER(op, Op)                                                            \
  REGISTER_KERNEL(Kernel(op).OnCpu(), Op);                                          \
  REGISTER_KERNEL(Kernel(op).OnGpu().HostMemory("resource").HostMemory("is_initialized"), Op);
REGISTER("VarHandleOp", VarHandleOp)
REGISTER("VarIsInitializedOp", VarIsInitializedOp)
REGISTER("ReadVariableOp", ReadVariableOp)
REGISTER("DestroyResourceOp", DestroyResourceOp)
REGISTER("DisableCopyOnRead", DisableCopyOnReadOp)
#undef REGISTER

#define REGISTER(T)                                                                            \
  REGISTER_KERNEL(Kernel("VariableShape").OnCpu().Type<T>("out_type"), VariableShapeOp<T>);    \
  REGISTER_KERNEL(                                                                             \
      Kernel("VariableShape").OnGpu().Type<T>("out_type").HostMemory("input").HostMemory("output"), \
      VariableShapeOp<T>);
REGISTER(int32_t)
REGISTER(int64_t)
#undef REGISTER

}  // namespace
}  // namespace tfbuild
