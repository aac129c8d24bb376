// Several elements as one, and the way back: BatchDataset, BatchDatasetV2, ParallelBatchDataset,
// UnbatchDataset. A batch is copied by several threads where it is large, whichever op asks.
#include "kernels/data/batch.h"
#include "kernels/data/slices.h"

namespace tfbuild {
namespace {

REGISTER_OP("BatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("BatchDatasetV2")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ParallelBatchDataset")
    .Input("input_dataset: variant")
    .Input("batch_size: int64")
    .Input("num_parallel_calls: int64")
    .Input("drop_remainder: bool")
    .Output("handle: variant")
    .Attr("parallel_copy: bool = false")
    .TFBUILD_DATASET_ATTRS
    .Attr("deterministic: string = 'default'")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("UnbatchDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ExperimentalUnbatchDataset")
    .Input("input_dataset: variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .ShapeFunction(ScalarShape);

class UnbatchDataset final : public DatasetOf<UnbatchDataset> {
 public:
  UnbatchDataset(ElementSpec spec, DatasetPtr input)
      : DatasetOf(std::move(spec)), input_(std::move(input)) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<UnbatchDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (next_ >= size_) {
        batch_.clear();
        ASSIGN_OR_RETURN(const bool found, Pull(step, &batch_));
        if (!found) return false;
        next_ = size_ = 0;
        for (const Tensor& component : batch_) {
          if (component.rank() == 0) {
            return InvalidArgument("Input element must have a non-scalar value in each component.");
          }
          if (component.dim(0) != batch_[0].dim(0)) {
            return InvalidArgument(
                "Input element must have the same batch size in each component. Component 0 had "
                "size ", batch_[0].dim(0), " but component ", &component - batch_.data(),
                " had size, ", component.dim(0), ".");
          }
        }
        size_ = batch_.empty() ? 0 : batch_[0].dim(0);
      }
      element->clear();
      for (const Tensor& component : batch_) {
        ASSIGN_OR_RETURN(Tensor slice, SliceAt(component, next_));
        element->push_back(std::move(slice));
      }
      ++next_;
      return true;
    }

   private:
    Element batch_;
    int64_t next_ = 0;
    int64_t size_ = 0;
  };

 private:
  DatasetPtr input_;
};

// The place of drop_remainder among the inputs; 0 where there is none.
template <int kDropInput>
class BatchDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const int64_t size, ScalarAt<int64_t>(*context, 1, "batch_size"));
    bool drop = false;
    if (kDropInput > 0) {
      ASSIGN_OR_RETURN(drop, ScalarAt<bool>(*context, kDropInput, "drop_remainder"));
    }
    return MakeBatchDataset(spec(), std::move(input), size, drop);
  }
};

class UnbatchDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    return std::shared_ptr<Dataset>(std::make_shared<UnbatchDataset>(spec(), std::move(input)));
  }
};

REGISTER_KERNEL(Kernel("BatchDataset").OnCpu(), BatchDatasetOp<0>);
REGISTER_KERNEL(Kernel("BatchDatasetV2").OnCpu(), BatchDatasetOp<2>);
REGISTER_KERNEL(Kernel("ParallelBatchDataset").OnCpu(), BatchDatasetOp<3>);
REGISTER_KERNEL(Kernel("UnbatchDataset").OnCpu(), UnbatchDatasetOp);
REGISTER_KERNEL(Kernel("ExperimentalUnbatchDataset").OnCpu(), UnbatchDatasetOp);

}  // namespace
}  // namespace tfbuild
