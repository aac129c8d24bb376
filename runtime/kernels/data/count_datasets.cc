// Datasets with more or fewer of another one's elements: RepeatDataset, TakeDataset, SkipDataset,
// ShardDataset.
#include <algorithm>

#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("RepeatDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("TakeDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("SkipDataset")
    .Input("input_dataset: variant")
    .Input("count: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ShardDataset")
    .Input("input_dataset: variant")
    .Input("num_shards: int64")
    .Input("index: int64")
    .Output("handle: variant")
    .Attr("require_non_empty: bool = false")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;

// A dataset of another one and a number, below zero for no limit.
template <typename D>
class CountedDataset : public DatasetOf<D> {
 public:
  CountedDataset(ElementSpec spec, DatasetPtr input, int64_t count)
      : DatasetOf<D>(std::move(spec)), input_(std::move(input)), count_(count) {}
  const DatasetPtr& input() const { return input_; }
  int64_t count() const { return count_; }

 private:
  DatasetPtr input_;
  int64_t count_;
};

class RepeatDataset final : public CountedDataset<RepeatDataset> {
 public:
  using CountedDataset::CountedDataset;
  int64_t Count() const override {
    const int64_t of_input = input()->Cardinality();
    if (count() == 0 || of_input == 0) return 0;
    if (count() < 0) return kInfinite;
    if (of_input < 0) return of_input;
    return of_input > INT64_MAX / count() ? kInfinite : of_input * count();
  }

  class Iterator final : public InputIterator<RepeatDataset> {
   public:
    using InputIterator::InputIterator;
    Status Start(StepContext*) override { return OkStatus(); }
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (dataset().count() < 0 || round_ < dataset().count()) {
        const bool fresh = input_ == nullptr;
        if (fresh) {
          ASSIGN_OR_RETURN(input_, dataset().input()->MakeIterator(step));
        }
        ASSIGN_OR_RETURN(const bool found, input_->Next(step, element));
        if (found) return true;
        input_ = nullptr;
        ++round_;
        if (fresh && dataset().count() < 0) return false;  // for ever nothing
        RETURN_IF_ERROR(step->Check());
      }
      return false;
    }

   private:
    int64_t round_ = 0;
  };
};

class TakeDataset final : public CountedDataset<TakeDataset> {
 public:
  using CountedDataset::CountedDataset;
  int64_t Count() const override {
    const int64_t of_input = input()->Cardinality();
    if (count() < 0) return of_input;
    if (of_input == kInfinite) return count();
    return of_input < 0 ? of_input : std::min(of_input, count());
  }

  class Iterator final : public InputIterator<TakeDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      if (dataset().count() >= 0 && taken_ >= dataset().count()) {
        input_ = nullptr;
        return false;
      }
      ASSIGN_OR_RETURN(const bool found, Pull(step, element));
      if (found) ++taken_;
      return found;
    }

   private:
    int64_t taken_ = 0;
  };
};

class SkipDataset final : public CountedDataset<SkipDataset> {
 public:
  using CountedDataset::CountedDataset;
  int64_t Count() const override {
    const int64_t of_input = input()->Cardinality();
    if (count() < 0) return 0;
    return of_input < 0 ? of_input : std::max<int64_t>(0, of_input - count());
  }

  class Iterator final : public InputIterator<SkipDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      if (dataset().count() < 0) return false;
      for (; skipped_ < dataset().count(); ++skipped_) {
        ASSIGN_OR_RETURN(const bool found, Pull(step, element));
        if (!found) return false;
      }
      return Pull(step, element);
    }

   private:
    int64_t skipped_ = 0;
  };
};

class ShardDataset final : public CountedDataset<ShardDataset> {
 public:
  ShardDataset(ElementSpec spec, DatasetPtr input, int64_t shards, int64_t index, bool not_empty)
      : CountedDataset(std::move(spec), std::move(input), shards),
        index_(index),
        not_empty_(not_empty) {}
  int64_t Count() const override {
    const int64_t n = input()->Cardinality();
    return n < 0 ? n : n / count() + (index_ < n % count() ? 1 : 0);
  }

  class Iterator final : public InputIterator<ShardDataset> {
   public:
    using InputIterator::InputIterator;
    Result<bool> Advance(StepContext* step, Element* element) override {
      while (true) {
        ASSIGN_OR_RETURN(const bool found, Pull(step, element));
        if (!found && dataset().not_empty_ && next_ <= dataset().index_) {
          return InvalidArgument("Dataset does not have enough data for the shard ",
                                 dataset().index_, " of ", dataset().count());
        }
        if (!found) return false;
        if (next_++ % dataset().count() == dataset().index_) return true;
      }
    }

   private:
    int64_t next_ = 0;
  };

 private:
  int64_t index_;
  bool not_empty_;
};

template <typename D>
class CountedDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const int64_t count, ScalarAt<int64_t>(*context, 1, "count"));
    return std::shared_ptr<Dataset>(std::make_shared<D>(spec(), std::move(input), count));
  }
};

class ShardDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(not_empty_, construction.Attr<bool>("require_non_empty"));
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(const int64_t shards, ScalarAt<int64_t>(*context, 1, "num_shards"));
    ASSIGN_OR_RETURN(const int64_t index, ScalarAt<int64_t>(*context, 2, "index"));
    if (shards < 1) {
      return InvalidArgument("Number of shards must be greater than zero (currently num_shards = ",
                             shards, ").");
    }
    if (index < 0 || index >= shards) {
      return InvalidArgument("Index must be between 0 and ", shards - 1,
                             " (currently index = ", index, ").");
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<ShardDataset>(spec(), std::move(input), shards, index, not_empty_));
  }

 private:
  bool not_empty_ = false;
};

REGISTER_KERNEL(Kernel("RepeatDataset").OnCpu(), CountedDatasetOp<RepeatDataset>);
REGISTER_KERNEL(Kernel("TakeDataset").OnCpu(), CountedDatasetOp<TakeDataset>);
REGISTER_KERNEL(Kernel("SkipDataset").OnCpu(), CountedDatasetOp<SkipDataset>);
REGISTER_KERNEL(Kernel("ShardDataset").OnCpu(), ShardDatasetOp);

}  // namespace
}  // namespace tfbuild
