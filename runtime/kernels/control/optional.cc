// Optionals: tensors that are there or not, as the branches of an If hand them to its gradient.
#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "kernels/framework/variant_sum.h"

namespace tfbuild {
namespace {

// What a scalar of variants holds: tensors, or none.
struct Optional final : public SummableVariant {
  bool has_value = false;
  std::vector<Tensor> components;

  Result<Variant> ZerosLike() const override {
    auto zeros = std::make_shared<Optional>(*this);
    for (Tensor& component : zeros->components) {
      ASSIGN_OR_RETURN(component, HostZerosLike(component));
    }
    return Variant(std::move(zeros));
  }

  Result<Variant> Plus(const VariantValue& other) const override {
    const auto* optional = dynamic_cast<const Optional*>(&other);
    if (optional == nullptr || optional->has_value != has_value ||
        optional->components.size() != components.size()) {
      return InvalidArgument("an optional and what is none, or holds something else, have no sum");
    }
    auto sum = std::make_shared<Optional>(*this);
    for (size_t i = 0; i < components.size(); ++i) {
      ASSIGN_OR_RETURN(sum->components[i], HostSum(components[i], optional->components[i]));
    }
    return Variant(std::move(sum));
  }
};

Status ComponentShapes(ShapeContext* context) {
  const auto stated = context->Attr<std::vector<PartialShape>>("output_shapes");
  for (int i = 0; stated.ok() && i < context->num_outputs(); ++i) {
    const size_t place = static_cast<size_t>(i);
    if (place < stated->size()) context->set_output(i, (*stated)[place]);
  }
  return OkStatus();
}

REGISTER_OP("OptionalFromValue")
    .Input("components: Toutput_types")
    .Output("optional: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .ShapeFunction(ScalarShape);
REGISTER_OP("OptionalNone").Output("optional: variant").ShapeFunction(ScalarShape);
REGISTER_OP("OptionalHasValue")
    .Input("optional: variant")
    .Output("has_value: bool")
    .ShapeFunction(ScalarShape);
REGISTER_OP("OptionalGetValue")
    .Input("optional: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .ShapeFunction(ComponentShapes);

Result<const Optional*> OptionalIn(const OpKernelContext& context) {
  const Tensor& handle = context.input(0);
  const Optional* optional =
      handle.dtype() == DType::kVariant && handle.rank() == 0
          ? dynamic_cast<const Optional*>(handle.data<Variant>()->get())
          : nullptr;
  if (optional == nullptr) return InvalidArgument("input 0 is no optional");
  return optional;
}

class FromValueOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    auto optional = std::make_shared<Optional>();
    optional->has_value = true;
    ASSIGN_OR_RETURN(optional->components, context->KeptInputs(0, context->num_inputs()));
    context->SetOutput(0, Tensor::Scalar<Variant>(std::move(optional)));
    return OkStatus();
  }
};

class NoneOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    context->SetOutput(0, Tensor::Scalar<Variant>(std::make_shared<Optional>()));
    return OkStatus();
  }
};

class HasValueOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Optional* optional, OptionalIn(*context));
    context->SetOutput(0, Tensor::Scalar<bool>(optional->has_value));
    return OkStatus();
  }
};

class GetValueOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const Optional* optional, OptionalIn(*context));
    if (!optional->has_value) {
      return InvalidArgument("The given optional does not have a value.");
    }
    const auto& components = optional->components;
    if (components.size() != static_cast<size_t>(context->num_outputs())) {
      return InvalidArgument("the optional holds ", components.size(), " tensors, not ",
                             context->num_outputs());
    }
    for (int i = 0; i < context->num_outputs(); ++i) {
      const Tensor& component = components[static_cast<size_t>(i)];
      const Node::Output& wanted = context->node().output(i);
      if (component.dtype() != wanted.dtype ||
          !wanted.shape.CompatibleWith(PartialShape(component.shape()))) {
        return InvalidArgument("component ", i, " is ", DTypeName(component.dtype()), " of shape ",
                               component.shape(), ", not ", DTypeName(wanted.dtype), " of shape ",
                               wanted.shape);
      }
      context->SetOutput(i, component);
    }
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("OptionalFromValue").OnCpu(), FromValueOp);
REGISTER_KERNEL(Kernel("OptionalNone").OnCpu(), NoneOp);
REGISTER_KERNEL(Kernel("OptionalHasValue").OnCpu(), HasValueOp);
REGISTER_KERNEL(Kernel("OptionalGetValue").OnCpu(), GetValueOp);

}  // namespace
}  // namespace tfbuild
