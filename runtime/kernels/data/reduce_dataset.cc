// A whole dataset within one step: ReduceDataset, DatasetToSingleElement, DatasetCardinality.
#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

Status StatedResultShapes(ShapeContext* context) {
  ASSIGN_OR_RETURN(const auto shapes, context->Attr<std::vector<PartialShape>>("output_shapes"));
  for (int i = 0; i < context->num_outputs(); ++i) {
    const size_t place = static_cast<size_t>(i);
    context->set_output(i, place < shapes.size() ? shapes[place] : PartialShape());
  }
  return OkStatus();
}

REGISTER_OP("ReduceDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("components: output_types")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(StatedResultShapes);
REGISTER_OP("DatasetToSingleElement")
    .Input("dataset: variant")
    .Output("components: output_types")
    .TFBUILD_DATASET_ATTRS
    .Attr("metadata: string = ''")
    .Stateful()
    .ShapeFunction(StatedResultShapes);
REGISTER_OP("DatasetCardinality")
    .Input("input_dataset: variant")
    .Output("cardinality: int64")
    .Attr("cardinality_options: string = ''")
    .ShapeFunction(ScalarShape);

class ReduceDatasetOp final : public OpKernel {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(function_, construction.Attr<FunctionAttr>("f"));
    ASSIGN_OR_RETURN(num_states_, NumTypes(construction, "Tstate"));
    ASSIGN_OR_RETURN(num_captured_, NumTypes(construction, "Targuments"));
    runtime_ = FunctionRuntime::Of(construction.resources);
    return OkStatus();
  }
  Status Compute(OpKernelContext* context) override {
    StepContext* step = context->step();
    ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const CapturedPtr function,
                     CapturedFunction::Make(runtime_.get(), function_, *context, 1 + num_states_,
                                            num_captured_));
    Element state;
    for (int i = 0; i < num_states_; ++i) state.push_back(context->input(1 + i));
    ASSIGN_OR_RETURN(const auto iterator, dataset->MakeIterator(step));
    while (true) {
      Element element;
      ASSIGN_OR_RETURN(const bool found, iterator->Next(step, &element));
      if (!found) break;
      Element arguments = std::move(state);
      arguments.insert(arguments.end(), element.begin(), element.end());
      state.clear();
      RETURN_IF_ERROR(function->Call(step, std::move(arguments), &state));
    }
    return SetComponents(context, std::move(state));
  }
  bool IsExpensive() const override { return true; }

 private:
  FunctionAttr function_;
  int num_states_ = 0;
  int num_captured_ = 0;
  std::shared_ptr<FunctionRuntime> runtime_;
};

class SingleElementOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const auto iterator, dataset->MakeIterator(context->step()));
    Element element, another;
    ASSIGN_OR_RETURN(const bool found, iterator->Next(context->step(), &element));
    if (!found) return InvalidArgument("Dataset was empty.");
    ASSIGN_OR_RETURN(const bool more, iterator->Next(context->step(), &another));
    if (more) return InvalidArgument("Dataset had more than one element.");
    return SetComponents(context, std::move(element));
  }
  bool IsExpensive() const override { return true; }
};

class CardinalityOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(context->input(0)));
    context->SetOutput(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("ReduceDataset").OnCpu(), ReduceDatasetOp);
REGISTER_KERNEL(Kernel("DatasetToSingleElement").OnCpu(), SingleElementOp);
REGISTER_KERNEL(Kernel("DatasetCardinality").OnCpu(), CardinalityOp);

}  // namespace
}  // namespace tfbuild
