// Datasets of what functions say of another one's elements, one after the other: MapDataset,
// FilterDataset, TakeWhileDataset, ScanDataset.
#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

REGISTER_OP("MapDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("use_inter_op_parallelism: bool = true")
    .Attr("preserve_cardinality: bool = false")
    .Attr("force_synchronous: bool = false")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("FilterDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("TakeWhileDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("predicate: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ScanDataset")
    .Input("input_dataset: variant")
    .Input("initial_state: Tstate")
    .Input("other_arguments: Targuments")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Tstate: list(type) >= 1")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("preserve_cardinality: bool = false")
    .Attr("use_default_device: bool = true")
    .TFBUILD_DATASET_METADATA;

// A dataset of another one and a function.
template <typename D>
class FunctionDataset : public DatasetOf<D> {
 public:
  FunctionDataset(ElementSpec spec, DatasetPtr input, CapturedPtr function)
      : DatasetOf<D>(std::move(spec)), input_(std::move(input)), function_(std::move(function)) {}
  const DatasetPtr& input() const { return input_; }
  const CapturedFunction& function() const { return *function_; }

 private:
  DatasetPtr input_;
  CapturedPtr function_;
};

// Whether an element came out of a function, which may end the dataset for good, as one that reads
// does.
Result<bool> MoreAfter(const Status& call, IteratorPtr* input) {
  if (call.code() == Code::kOutOfRange) {
    *input = nullptr;
    return false;
  }
  RETURN_IF_ERROR(call);
  return true;
}

class MapDataset final : public FunctionDataset<MapDataset> {
 public:
  using FunctionDataset::FunctionDataset;
  int64_t Count() const override { return input()->Cardinality(); }

  class Iterator final : public InputIterator<MapDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      Element arguments;
      ASSIGN_OR_RETURN(const bool found, Pull(step, &arguments));
      if (!found) return false;
      const Status status = dataset().function().Call(step, std::move(arguments), element);
      return MoreAfter(status, &input_);
    }
  };
};

class FilterDataset final : public FunctionDataset<FilterDataset> {
 public:
  using FunctionDataset::FunctionDataset;
  class Iterator final : public InputIterator<FilterDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (true) {
        ASSIGN_OR_RETURN(const bool found, Pull(step, element));
        if (!found) return false;
        ASSIGN_OR_RETURN(const bool kept, dataset().function().CallPredicate(step, *element));
        if (kept) return true;
      }
    }
  };
};

class TakeWhileDataset final : public FunctionDataset<TakeWhileDataset> {
 public:
  using FunctionDataset::FunctionDataset;
  class Iterator final : public InputIterator<TakeWhileDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      ASSIGN_OR_RETURN(const bool found, Pull(step, element));
      if (!found) return false;
      ASSIGN_OR_RETURN(const bool kept, dataset().function().CallPredicate(step, *element));
      if (!kept) input_ = nullptr;
      return kept;
    }
  };
};

class ScanDataset final : public FunctionDataset<ScanDataset> {
 public:
  ScanDataset(ElementSpec spec, DatasetPtr input, CapturedPtr function, Element initial_state)
      : FunctionDataset(std::move(spec), std::move(input), std::move(function)),
        initial_state_(std::move(initial_state)) {}
  int64_t Count() const override { return input()->Cardinality(); }

  class Iterator final : public InputIterator<ScanDataset> {
   public:
    explicit Iterator(const ScanDataset* dataset)
        : InputIterator(dataset), state_(dataset->initial_state_) {}
    Result<bool> Advance(StepContext* step, Element* element) override {
      Element input;
      ASSIGN_OR_RETURN(const bool found, Pull(step, &input));
      if (!found) return false;
      Element arguments = state_;
      arguments.insert(arguments.end(), input.begin(), input.end());
      Element results;
      const Status status = dataset().function().Call(step, std::move(arguments), &results);
      ASSIGN_OR_RETURN(const bool more, MoreAfter(status, &input_));
      if (!more) return false;
      if (results.size() < state_.size()) {
        return InvalidArgument("the function of ScanDataset must give the state first");
      }
      const auto first = results.begin() + static_cast<std::ptrdiff_t>(state_.size());
      element->assign(first, results.end());
      state_.assign(results.begin(), first);
      return true;
    }

   private:
    Element state_;
  };

 private:
  Element initial_state_;
};

template <typename D>
class FunctionOp final : public FunctionDatasetOp {
 public:
  using FunctionDatasetOp::FunctionDatasetOp;

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    return std::shared_ptr<Dataset>(
        std::make_shared<D>(spec(), std::move(input), std::move(function)));
  }
};

template <typename D>
class PredicateOp final : public FunctionDatasetOp {
 public:
  PredicateOp() : FunctionDatasetOp("predicate") {}

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    return std::shared_ptr<Dataset>(
        std::make_shared<D>(spec(), std::move(input), std::move(function)));
  }
};

class ScanOp final : public FunctionDatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(num_states_, NumTypes(construction, "Tstate"));
    return FunctionDatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context, 1 + num_states_));
    ASSIGN_OR_RETURN(Element state, context->KeptInputs(1, num_states_));
    return std::shared_ptr<Dataset>(std::make_shared<ScanDataset>(
        spec(), std::move(input), std::move(function), std::move(state)));
  }

 private:
  int num_states_ = 0;
};

REGISTER_KERNEL(Kernel("MapDataset").OnCpu(), FunctionOp<MapDataset>);
REGISTER_KERNEL(Kernel("FilterDataset").OnCpu(), PredicateOp<FilterDataset>);
REGISTER_KERNEL(Kernel("TakeWhileDataset").OnCpu(), PredicateOp<TakeWhileDataset>);
REGISTER_KERNEL(Kernel("ScanDataset").OnCpu(), ScanOp);

}  // namespace
}  // namespace tfbuild
