// RandomDataset: random words, the same for the same seeds as in TensorFlow.
#include "kernels/data/dataset.h"
#include "kernels/data/seeded_words.h"

namespace tfbuild {
namespace {

REGISTER_OP("RandomDataset")
    .Input("seed: int64")
    .Input("seed2: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Stateful()
    .TFBUILD_DATASET_METADATA;

class RandomDataset final : public DatasetOf<RandomDataset> {
 public:
  RandomDataset(ElementSpec spec, uint64_t seed, uint64_t seed2)
      : DatasetOf(std::move(spec)), seed_(seed), seed2_(seed2) {}
  int64_t Count() const override { return kInfinite; }

  class Iterator final : public IteratorOver<RandomDataset> {
   public:
    explicit Iterator(const RandomDataset* dataset)
        : IteratorOver(dataset), words_(dataset->seed_, dataset->seed2_) {}
    Result<bool> Advance(StepContext*, Element* element) override {
      element->clear();
      element->push_back(Tensor::Scalar<int64_t>(words_.Next()));
      return true;
    }

   private:
    SeededWords words_;
  };

 private:
  const uint64_t seed_, seed2_;
};

class RandomDatasetOp final : public DatasetOp {
 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(const int64_t seed, ScalarAt<int64_t>(*context, 0, "seed"));
    ASSIGN_OR_RETURN(const int64_t seed2, ScalarAt<int64_t>(*context, 1, "seed2"));
    return std::shared_ptr<Dataset>(std::make_shared<RandomDataset>(
        spec(), static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)));
  }
};

REGISTER_KERNEL(Kernel("RandomDataset").OnCpu(), RandomDatasetOp);

}  // namespace
}  // namespace tfbuild
