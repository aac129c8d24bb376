// Datasets out of datasets that a function makes of elements: FlatMapDataset, InterleaveDataset.
#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

REGISTER_OP("FlatMapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("InterleaveDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;

// `block` elements of each of `cycle` datasets in turn; a flat map is a cycle of one.
class InterleaveDataset final : public DatasetOf<InterleaveDataset> {
 public:
  InterleaveDataset(ElementSpec spec, DatasetPtr input, CapturedPtr function, int64_t cycle,
                    int64_t block)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        cycle_(cycle),
        block_(block) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<InterleaveDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (input_ != nullptr || open_ > 0) {
        RETURN_IF_ERROR(step->Check());
        if (turn_ == slots_.size() && static_cast<int64_t>(turn_) < dataset().cycle_) {
          if (input_ == nullptr && turn_ > 0) {
            turn_ = 0;
            continue;
          }
          slots_.emplace_back();
        }
        IteratorPtr& current = slots_[turn_];
        if (current == nullptr) {
          RETURN_IF_ERROR(Open(step, &current));
          if (current == nullptr) {
            Advance();
            continue;
          }
        }
        ASSIGN_OR_RETURN(const bool found, current->Next(step, element));
        if (found) {
          if (++in_block_ == dataset().block_) Advance();
          return true;
        }
        current = nullptr;
        --open_;
        Advance();
      }
      return false;
    }

   private:
    // What comes out of the next element, where there is one.
    Status Open(StepContext* step, IteratorPtr* slot) {
      Element arguments;
      ASSIGN_OR_RETURN(const bool found, Pull(step, &arguments));
      if (!found) return OkStatus();
      ASSIGN_OR_RETURN(const DatasetPtr inner,
                       dataset().function_->CallForDataset(step, std::move(arguments)));
      ASSIGN_OR_RETURN(*slot, inner->MakeIterator(step));
      ++open_;
      return OkStatus();
    }
    void Advance() {
      in_block_ = 0;
      if (++turn_ >= static_cast<size_t>(dataset().cycle_)) turn_ = 0;
    }

    std::vector<IteratorPtr> slots_;
    size_t turn_ = 0;
    int64_t in_block_ = 0;
    int64_t open_ = 0;
  };

 private:
  DatasetPtr input_;
  CapturedPtr function_;
  int64_t cycle_;
  int64_t block_;
};

class FlatMapDatasetOp final : public FunctionDatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    return std::shared_ptr<Dataset>(std::make_shared<InterleaveDataset>(
        spec(), std::move(input), std::move(function), 1, INT64_MAX));
  }
};

class InterleaveDatasetOp final : public FunctionDatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    const int first = 1 + num_captured();
    ASSIGN_OR_RETURN(const int64_t cycle, ScalarAt<int64_t>(*context, first, "cycle_length"));
    ASSIGN_OR_RETURN(const int64_t block, ScalarAt<int64_t>(*context, first + 1, "block_length"));
    if (cycle <= 0) return InvalidArgument("cycle_length must be greater than zero.");
    if (block <= 0) return InvalidArgument("block_length must be greater than zero.");
    return std::shared_ptr<Dataset>(std::make_shared<InterleaveDataset>(
        spec(), std::move(input), std::move(function), cycle, block));
  }
};

REGISTER_KERNEL(Kernel("FlatMapDataset").OnCpu(), FlatMapDatasetOp);
REGISTER_KERNEL(Kernel("InterleaveDataset").OnCpu(), InterleaveDatasetOp);

}  // namespace
}  // namespace tfbuild
