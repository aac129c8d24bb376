// Datasets of another one's elements as they are. IgnoreErrorsDataset passes over errors; the rest
// carries settings of tf.data.Options, which need nothing here.
#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("IgnoreErrorsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("log_warning: bool = false")
    .ShapeFunction(ScalarShape);
REGISTER_OP("ExperimentalIgnoreErrorsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("log_warning: bool = false")
    .ShapeFunction(ScalarShape);
REGISTER_OP("OptionsDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("serialized_options: string")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ModelDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .Attr("algorithm: int = 0")
    .Attr("cpu_budget: int = 0")
    .Attr("ram_budget: int = 0")
    .TFBUILD_DATASET_ATTRS
    .ShapeFunction(ScalarShape);
REGISTER_OP("OptimizeDataset")
    .Input("input_dataset: variant")
    .Input("optimizations: string")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("optimization_configs: list(string) = []")
    .ShapeFunction(ScalarShape);

class IgnoreErrorsDataset final : public DatasetOf<IgnoreErrorsDataset> {
 public:
  IgnoreErrorsDataset(ElementSpec spec, DatasetPtr input)
      : DatasetOf(std::move(spec)), input_(std::move(input)) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<IgnoreErrorsDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (true) {
        Result<bool> found = Pull(step, element);
        if (found.ok()) return found;
        // The end of the step or session is no error of an element.
        RETURN_IF_ERROR(step->Check());
        if (found.status().code() == Code::kCancelled) return found;
      }
    }
  };

 private:
  DatasetPtr input_;
};

class IgnoreErrorsDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    return std::shared_ptr<Dataset>(
        std::make_shared<IgnoreErrorsDataset>(spec(), std::move(input)));
  }
};

class SameDatasetOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    RETURN_IF_ERROR(DatasetIn(context->input(0)).status());
    context->SetOutput(0, context->input(0));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("IgnoreErrorsDataset").OnCpu(), IgnoreErrorsDatasetOp);
REGISTER_KERNEL(Kernel("ExperimentalIgnoreErrorsDataset").OnCpu(), IgnoreErrorsDatasetOp);
REGISTER_KERNEL(Kernel("OptionsDataset").OnCpu(), SameDatasetOp);
REGISTER_KERNEL(Kernel("ModelDataset").OnCpu(), SameDatasetOp);
REGISTER_KERNEL(Kernel("OptimizeDataset").OnCpu(), SameDatasetOp);

}  // namespace
}  // namespace tfbuild
