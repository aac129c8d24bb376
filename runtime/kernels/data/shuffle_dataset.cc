// ShuffleDataset and its kin: elements by chance out of a buffer, in TensorFlow's order for the same
// seeds.
#include <deque>
#include <mutex>
#include <random>

#include "kernels/data/dataset.h"
#include "kernels/data/seeded_words.h"

namespace tfbuild {
namespace {

REGISTER_OP("ShuffleDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ShuffleDatasetV3")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("seed_generator: resource")
    .Output("handle: variant")
    .Attr("reshuffle_each_iteration: bool = true")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("ShuffleAndRepeatDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Input("count: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("reshuffle_each_iteration: bool = true")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("DummySeedGenerator").Output("handle: resource").Stateful().ShapeFunction(ScalarShape);

struct Seeds {
  uint64_t first = 0;
  uint64_t second = 0;
};

// The seeds of one round after the other: always the same, or new ones out of the first.
class SeedSource {
 public:
  SeedSource(Seeds seeds, bool renew)
      : seeds_(seeds), renew_(renew), words_(seeds.first, seeds.second) {}
  Seeds Next() {
    if (!renew_) return seeds_;
    std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t first = words_.Next();
    return {first, words_.Next()};
  }

 private:
  const Seeds seeds_;
  const bool renew_;
  std::mutex mutex_;
  SeededWords words_;
};

class ShuffleDataset final : public DatasetOf<ShuffleDataset> {
 public:
  // `count` rounds through the input; below zero for ever.
  ShuffleDataset(ElementSpec spec, DatasetPtr input, int64_t buffer_size, int64_t count,
                 Seeds seeds, bool renew)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        buffer_size_(buffer_size),
        count_(count),
        seeds_(std::make_shared<SeedSource>(seeds, renew)) {}
  int64_t Count() const override {
    const int64_t n = input_->Cardinality();
    if (n == 0 || count_ == 0) return 0;
    if (count_ < 0) return kInfinite;
    if (n < 0) return n;
    return n > INT64_MAX / count_ ? kInfinite : n * count_;
  }

  class Iterator final : public IteratorOver<ShuffleDataset> {
   public:
    using IteratorOver::IteratorOver;
    Status Start(StepContext*) override {
      Reseed();
      return OkStatus();
    }
    Result<bool> Advance(StepContext* step, Element* element) override {
      RETURN_IF_ERROR(Fill(step));
      if (buffered_ == 0) return false;
      while (rounds_.front().empty()) {
        rounds_.pop_front();
        Reseed();
      }
      // Out of the oldest round: one of a later round never comes before.
      std::deque<Element>& round = rounds_.front();
      const size_t chosen = words_->Next() % round.size();
      std::swap(round[chosen], round.front());
      *element = std::move(round.front());
      round.pop_front();
      --buffered_;
      return true;
    }

   private:
    // Rounds of which elements may be in the buffer at once.
    static constexpr size_t kMaxRounds = 3;

    void Reseed() {
      const Seeds seeds = dataset().seeds_->Next();
      words_ = std::make_unique<SeededWords>(seeds.first, seeds.second);
    }

    Status Fill(StepContext* step) {
      while (!done_ && buffered_ < dataset().buffer_size_ && rounds_.size() <= kMaxRounds) {
        if (input_ == nullptr) {
          if (dataset().count_ >= 0 && round_ >= dataset().count_) {
            done_ = true;
            break;
          }
          ++round_;
          ASSIGN_OR_RETURN(input_, dataset().input_->MakeIterator(step));
          rounds_.emplace_back();
        }
        Element element;
        ASSIGN_OR_RETURN(const bool found, input_->Next(step, &element));
        RETURN_IF_ERROR(step->Check());
        if (found) {
          rounds_.back().push_back(std::move(element));
          ++buffered_;
          empty_ = false;
          continue;
        }
        input_ = nullptr;
        if (empty_ && dataset().count_ < 0) done_ = true;  // for ever nothing
      }
      return OkStatus();
    }

    IteratorPtr input_;
    std::unique_ptr<SeededWords> words_;
    std::deque<std::deque<Element>> rounds_;
    int64_t buffered_ = 0;
    int64_t round_ = 0;
    bool empty_ = true;
    bool done_ = false;
  };

 private:
  DatasetPtr input_;
  int64_t buffer_size_;
  int64_t count_;
  std::shared_ptr<SeedSource> seeds_;
};

template <bool kRepeats>
class ShuffleDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    ASSIGN_OR_RETURN(renew_, construction.Attr<bool>("reshuffle_each_iteration"));
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(int64_t buffer_size, ScalarAt<int64_t>(*context, 1, "buffer_size"));
    ASSIGN_OR_RETURN(const int64_t seed, ScalarAt<int64_t>(*context, 2, "seed"));
    ASSIGN_OR_RETURN(const int64_t seed2, ScalarAt<int64_t>(*context, 3, "seed2"));
    int64_t count = 1;
    if (kRepeats) {
      ASSIGN_OR_RETURN(count, ScalarAt<int64_t>(*context, 4, "count"));
    }
    if (buffer_size == -1) buffer_size = INT64_MAX;
    if (buffer_size <= 0) {
      return InvalidArgument("buffer_size must be greater than zero or UNKNOWN_CARDINALITY");
    }
    Seeds seeds{static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)};
    if (seed == 0 && seed2 == 0) {
      std::random_device device;
      seeds = {uint64_t{device()} << 32 | device(), uint64_t{device()} << 32 | device()};
    }
    return std::shared_ptr<Dataset>(std::make_shared<ShuffleDataset>(
        spec(), std::move(input), buffer_size, count, seeds, renew_));
  }

 private:
  bool renew_ = true;
};

// What a ShuffleDatasetV3 takes where the seeds themselves say all.
class DummySeedGeneratorOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor number = Tensor::Scalar<int64_t>(0);
    context->SetOutput(0, Tensor(DType::kResource, Shape{}, number.buffer()));
    return OkStatus();
  }
};

REGISTER_KERNEL(Kernel("ShuffleDataset").OnCpu(), ShuffleDatasetOp<false>);
REGISTER_KERNEL(Kernel("ShuffleDatasetV3").OnCpu(), ShuffleDatasetOp<false>);
REGISTER_KERNEL(Kernel("ShuffleAndRepeatDataset").OnCpu(), ShuffleDatasetOp<true>);
REGISTER_KERNEL(Kernel("DummySeedGenerator").OnCpu(), DummySeedGeneratorOp);

}  // namespace
}  // namespace tfbuild
