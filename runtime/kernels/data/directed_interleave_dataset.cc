// DirectedInterleaveDataset: elements of several datasets, each of the one that a dataset of numbers
// says next.
#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("DirectedInterleaveDataset")
    .Input("selector_input_dataset: variant")
    .Input("data_input_datasets: N * variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("N: int >= 1")
    .Attr("stop_on_empty_dataset: bool = false")
    .ShapeFunction(ScalarShape);

class DirectedInterleaveDataset final : public DatasetOf<DirectedInterleaveDataset> {
 public:
  DirectedInterleaveDataset(ElementSpec spec, DatasetPtr selector, std::vector<DatasetPtr> inputs,
                            bool stops)
      : DatasetOf(std::move(spec)),
        selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        stops_(stops) {}

  class Iterator final : public IteratorOver<DirectedInterleaveDataset> {
   public:
    using IteratorOver::IteratorOver;
    Status Start(StepContext* step) override {
      ASSIGN_OR_RETURN(selector_, dataset().selector_->MakeIterator(step));
      for (const DatasetPtr& input : dataset().inputs_) {
        ASSIGN_OR_RETURN(inputs_.emplace_back(), input->MakeIterator(step));
      }
      left_ = inputs_.size();
      return OkStatus();
    }

    Result<bool> Advance(StepContext* step, Element* element) override {
      while (left_ > 0) {
        RETURN_IF_ERROR(step->Check());
        Element chosen;
        ASSIGN_OR_RETURN(const bool more, selector_->Next(step, &chosen));
        if (!more) return End();
        ASSIGN_OR_RETURN(IteratorPtr * input, InputOf(chosen));
        if (*input == nullptr) continue;
        element->clear();
        ASSIGN_OR_RETURN(const bool found, (*input)->Next(step, element));
        if (found) return true;
        if (dataset().stops_) return End();
        input->reset();
        --left_;
      }
      return false;
    }

   private:
    bool End() {
      left_ = 0;
      return false;
    }

    Result<IteratorPtr*> InputOf(const Element& chosen) {
      if (chosen.size() != 1 || chosen[0].dtype() != DType::kInt64 || chosen[0].num_elements() != 1) {
        return InvalidArgument("what selects a dataset must be a number of int64");
      }
      const int64_t number = chosen[0].data<int64_t>()[0];
      if (number >= 0 && number < static_cast<int64_t>(inputs_.size())) {
        return &inputs_[static_cast<size_t>(number)];
      }
      return InvalidArgument("Selector index out of range: ", number, " >= ", inputs_.size());
    }

    IteratorPtr selector_;
    std::vector<IteratorPtr> inputs_;  // null at their ends
    size_t left_ = 0;
  };

 private:
  DatasetPtr selector_;
  std::vector<DatasetPtr> inputs_;
  const bool stops_;  // with the first dataset that ends
};

class DirectedInterleaveDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(stops_, construction.Attr<bool>("stop_on_empty_dataset"));
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr selector, DatasetIn(context->input(0)));
    std::vector<DatasetPtr> inputs;
    for (int i = 1; i < context->num_inputs(); ++i) {
      ASSIGN_OR_RETURN(inputs.emplace_back(), DatasetIn(context->input(i)));
      if (inputs.back()->spec().types == inputs.front()->spec().types) continue;
      return InvalidArgument("the datasets that are interleaved have different types");
    }
    return std::shared_ptr<Dataset>(std::make_shared<DirectedInterleaveDataset>(
        spec(), std::move(selector), std::move(inputs), stops_));
  }

 private:
  bool stops_ = false;
};

REGISTER_KERNEL(Kernel("DirectedInterleaveDataset").OnCpu(), DirectedInterleaveDatasetOp);

}  // namespace
}  // namespace tfbuild
