// Iterators of the graph: made, begun, read, and handed from one graph part to another by a string.
#include <cstdlib>
#include <mutex>

#include "base/c_locale.h"
#include "kernels/data/captured_function.h"
#include "kernels/data/iterator_resource.h"
#include "kernels/framework/resource_inputs.h"
#include "kernels/framework/resource_manager.h"

namespace tfbuild {
namespace {

Status StatedElementShapes(ShapeContext* context) {
  ASSIGN_OR_RETURN(const auto shapes, context->Attr<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != context->num_outputs()) {
    return InvalidArgument("output_shapes has ", shapes.size(), " shapes for ",
                           context->num_outputs(), " components");
  }
  for (int i = 0; i < context->num_outputs(); ++i) {
    context->set_output(i, shapes[static_cast<size_t>(i)]);
  }
  return OkStatus();
}

REGISTER_OP("Iterator")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("IteratorV2")
    .Output("handle: resource")
    .Attr("shared_name: string")
    .Attr("container: string")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("OneShotIterator")
    .Output("handle: resource")
    .Attr("dataset_factory: func")
    .TFBUILD_DATASET_ATTRS
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("MakeIterator")
    .Input("dataset: variant")
    .Input("iterator: resource")
    .Stateful()
    .ShapeFunction(NoOutputs);
REGISTER_OP("IteratorGetNext")
    .Input("iterator: resource")
    .Output("components: output_types")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(StatedElementShapes);
REGISTER_OP("IteratorGetNextSync")
    .Input("iterator: resource")
    .Output("components: output_types")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .ShapeFunction(StatedElementShapes);
REGISTER_OP("IteratorToStringHandle")
    .Input("resource_handle: resource")
    .Output("string_handle: string")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("IteratorFromStringHandle")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .ShapeFunction(ScalarShape);
REGISTER_OP("IteratorFromStringHandleV2")
    .Input("string_handle: string")
    .Output("resource_handle: resource")
    .Attr("output_types: list(type) >= 0 = []")
    .Attr("output_shapes: list(shape) >= 0 = []")
    .Stateful()
    .ShapeFunction(ScalarShape);

// Before the number of a handle in its string.
constexpr char kHandlePrefix[] = "iterator ";

// The iterator of a node: by its shared name, or one of its own.
class IteratorOp : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(spec_, StatedSpec(construction, "output_types"));
    ASSIGN_OR_RETURN(const std::string container, construction.Attr<std::string>("container"));
    ASSIGN_OR_RETURN(std::string name, construction.Attr<std::string>("shared_name"));
    if (name.empty()) name = construction.node.name();
    resources_ = construction.resources;
    handle_ = resources_->Handle<IteratorResource>(container, name);
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto iterator, resources_->FindOrCreate<IteratorResource>(handle_));
    RETURN_IF_ERROR(iterator->State(spec_));
    RETURN_IF_ERROR(Prepare(context, iterator.get()));
    context->SetOutput(0, HandleTensor(handle_));
    return OkStatus();
  }

 protected:
  virtual Status Prepare(OpKernelContext*, IteratorResource*) { return OkStatus(); }

 private:
  ElementSpec spec_;
  ResourceManager* resources_ = nullptr;
  int64_t handle_ = 0;
};

// An iterator that begins the dataset of its function by itself, once.
class OneShotIteratorOp final : public IteratorOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(factory_, construction.Attr<FunctionAttr>("dataset_factory"));
    runtime_ = FunctionRuntime::Of(construction.resources);
    return IteratorOp::Init(construction);
  }
  bool IsExpensive() const override { return true; }

 protected:
  Status Prepare(OpKernelContext* context, IteratorResource* iterator) override {
    const auto make = [this, context]() -> Result<DatasetPtr> {
      ASSIGN_OR_RETURN(const CapturedPtr function,
                       CapturedFunction::Make(runtime_.get(), factory_, *context, 0, 0));
      return function->CallForDataset(context->step(), {});
    };
    return iterator->BeginOnce(context->step(), make, runtime_.get());
  }

 private:
  FunctionAttr factory_;
  std::shared_ptr<FunctionRuntime> runtime_;
};

class MakeIteratorOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    runtime_ = FunctionRuntime::Of(construction.resources);
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const auto iterator, ResourceAt<IteratorResource>(*context, 1));
    return iterator->Begin(context->step(), dataset, runtime_.get());
  }
  bool IsExpensive() const override { return true; }

 private:
  std::shared_ptr<FunctionRuntime> runtime_;
};

class GetNextOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const auto iterator, ResourceAt<IteratorResource>(*context, 0));
    Element element;
    ASSIGN_OR_RETURN(const bool found, iterator->Next(context->step(), &element));
    if (!found) return Status(Code::kOutOfRange, "End of sequence");
    return SetComponents(context, std::move(element));
  }
  bool IsExpensive() const override { return true; }
};

class ToStringHandleOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(ResourceAt<IteratorResource>(*context, 0).status());
    ASSIGN_OR_RETURN(const int64_t handle, HandleAt(*context, 0));
    context->SetOutput(0, Tensor::Strings(Shape{}, {StrCat(kHandlePrefix, handle)}));
    return OkStatus();
  }
};

class FromStringHandleOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const auto types = construction.Attr<std::vector<DType>>("output_types");
    const auto shapes = construction.Attr<std::vector<PartialShape>>("output_shapes");
    if (types.ok()) spec_.types = *types;
    if (shapes.ok()) spec_.shapes = *shapes;
    if (spec_.shapes.empty()) spec_.shapes.resize(spec_.types.size());
    if (spec_.shapes.size() != spec_.types.size()) {
      return InvalidArgument("If output_types and output_shapes are both set, they must have the "
                             "same length.");
    }
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const std::string text, ScalarAt<std::string>(*context, 0, "string_handle"));
    const std::string prefix = kHandlePrefix;
    const char* number = text.c_str() + prefix.size();
    const char* end = nullptr;
    const int64_t handle =
        text.compare(0, prefix.size(), prefix) == 0 ? ReadInt(number, &end) : 0;
    if (end == nullptr || end == number || *end != '\0') {
      return InvalidArgument("Could not parse string_handle as a valid ResourceHandle");
    }
    if (context->step() == nullptr) return FailedPrecondition("only a step has resources");
    ASSIGN_OR_RETURN(const auto iterator,
                     context->step()->resources.Find<IteratorResource>(handle));
    if (!spec_.types.empty()) RETURN_IF_ERROR(CheckSpec(spec_, iterator->spec()));
    context->SetOutput(0, HandleTensor(handle));
    return OkStatus();
  }

 private:
  ElementSpec spec_;
};

REGISTER_KERNEL(Kernel("Iterator").OnCpu(), IteratorOp);
REGISTER_KERNEL(Kernel("IteratorV2").OnCpu(), IteratorOp);
REGISTER_KERNEL(Kernel("OneShotIterator").OnCpu(), OneShotIteratorOp);
REGISTER_KERNEL(Kernel("MakeIterator").OnCpu(), MakeIteratorOp);
REGISTER_KERNEL(Kernel("IteratorGetNext").OnCpu(), GetNextOp);
REGISTER_KERNEL(Kernel("IteratorGetNextSync").OnCpu(), GetNextOp);
REGISTER_KERNEL(Kernel("IteratorToStringHandle").OnCpu(), ToStringHandleOp);
REGISTER_KERNEL(Kernel("IteratorFromStringHandle").OnCpu(), FromStringHandleOp);
REGISTER_KERNEL(Kernel("IteratorFromStringHandleV2").OnCpu(), FromStringHandleOp);

}  // namespace
}  // namespace tfbuild
