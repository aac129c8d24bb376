// Datasets made of several: ZipDataset, ConcatenateDataset.
#include <algorithm>

#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("ZipDataset")
    .Input("input_datasets: N * variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("N: int >= 1")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("ConcatenateDataset")
    .Input("input_dataset: variant")
    .Input("another_dataset: variant")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;

class ZipDataset final : public DatasetOf<ZipDataset> {
 public:
  ZipDataset(ElementSpec spec, std::vector<DatasetPtr> inputs)
      : DatasetOf(std::move(spec)), inputs_(std::move(inputs)) {}
  int64_t Count() const override {
    int64_t least = kInfinite;
    for (const DatasetPtr& input : inputs_) {
      const int64_t n = input->Cardinality();
      if (n == kUnknownCardinality) return n;
      if (n >= 0 && (least == kInfinite || n < least)) least = n;
    }
    return least;
  }

  class Iterator final : public IteratorOver<ZipDataset> {
   public:
    using IteratorOver::IteratorOver;
    Status Start(StepContext* step) override {
      for (const DatasetPtr& input : dataset().inputs_) {
        ASSIGN_OR_RETURN(inputs_.emplace_back(), input->MakeIterator(step));
      }
      return OkStatus();
    }
    Result<bool> Advance(StepContext* step, Element* element) override {
      element->clear();
      if (inputs_.empty()) return false;
      Status failed;
      for (const auto& input : inputs_) {
        Element part;
        // Where one fails the others go on all the same, so that they stay beside each other.
        Result<bool> found = input->Next(step, &part);
        if (!found.ok()) {
          if (failed.ok()) failed = found.status();
          continue;
        }
        if (!*found) {
          inputs_.clear();
          return false;
        }
        std::move(part.begin(), part.end(), std::back_inserter(*element));
      }
      if (!failed.ok()) return failed;
      return true;
    }

   private:
    std::vector<IteratorPtr> inputs_;
  };

 private:
  std::vector<DatasetPtr> inputs_;
};

class ConcatenateDataset final : public DatasetOf<ConcatenateDataset> {
 public:
  ConcatenateDataset(ElementSpec spec, DatasetPtr first, DatasetPtr second)
      : DatasetOf(std::move(spec)), first_(std::move(first)), second_(std::move(second)) {}
  const DatasetPtr& input() const { return first_; }
  int64_t Count() const override {
    return AddCardinality(first_->Cardinality(), second_->Cardinality());
  }

  class Iterator final : public InputIterator<ConcatenateDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      ASSIGN_OR_RETURN(bool found, Pull(step, element));
      if (found || in_second_) return found;
      in_second_ = true;
      ASSIGN_OR_RETURN(input_, dataset().second_->MakeIterator(step));
      return Pull(step, element);
    }

   private:
    bool in_second_ = false;
  };

 private:
  DatasetPtr first_;
  DatasetPtr second_;
};

class ZipDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    std::vector<DatasetPtr> inputs;
    for (int i = 0; i < context->num_inputs(); ++i) {
      ASSIGN_OR_RETURN(inputs.emplace_back(), DatasetIn(context->input(i)));
    }
    return std::shared_ptr<Dataset>(std::make_shared<ZipDataset>(spec(), std::move(inputs)));
  }
};

class ConcatenateDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr first, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(DatasetPtr second, DatasetIn(context->input(1)));
    if (first->spec().types != second->spec().types) {
      return InvalidArgument("input dataset and dataset_to_concatenate have different types");
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<ConcatenateDataset>(spec(), std::move(first), std::move(second)));
  }
};

REGISTER_KERNEL(Kernel("ZipDataset").OnCpu(), ZipDatasetOp);
REGISTER_KERNEL(Kernel("ConcatenateDataset").OnCpu(), ConcatenateDatasetOp);

}  // namespace
}  // namespace tfbuild
