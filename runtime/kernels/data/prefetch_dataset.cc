// PrefetchDataset: a thread that reads ahead.
#include <deque>

#include "base/exceptions.h"
#include "kernels/data/background.h"
#include "kernels/data/dataset.h"

namespace tfbuild {
namespace {

REGISTER_OP("PrefetchDataset")
    .Input("input_dataset: variant")
    .Input("buffer_size: int64")
    .Output("handle: variant")
    .TFBUILD_DATASET_ATTRS
    .Attr("slack_period: int = 0")
    .Attr("legacy_autotune: bool = true")
    .Attr("buffer_size_min: int = 0")
    .TFBUILD_DATASET_METADATA;

// Elements ahead where the program leaves it to us (tf.data.experimental.AUTOTUNE).
constexpr int64_t kAutotuned = 4;

class PrefetchDataset final : public DatasetOf<PrefetchDataset> {
 public:
  PrefetchDataset(ElementSpec spec, DatasetPtr input, int64_t size,
                  std::shared_ptr<FunctionRuntime> runtime)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        size_(static_cast<size_t>(size)),
        runtime_(std::move(runtime)) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override { return input_->Cardinality(); }

  class Iterator final : public InputIterator<PrefetchDataset> {
   public:
    explicit Iterator(const PrefetchDataset* dataset)
        : InputIterator(dataset), background_(dataset->runtime_) {}

    Result<bool> Advance(StepContext* step, Element* element) override {
      if (dataset().size_ == 0) return Pull(step, element);
      std::unique_lock<std::mutex> lock(background_.point().mutex);
      if (!background_.started()) RETURN_IF_ERROR(Start());
      RETURN_IF_ERROR(background_.Wait(step, &lock, &background_.point().ready,
                                       [this] { return !ahead_.empty() || ended_; }));
      if (ahead_.empty()) return false;
      Ahead next = std::move(ahead_.front());
      ahead_.pop_front();
      background_.point().work.notify_one();
      RETURN_IF_ERROR(next.status);
      *element = std::move(next.element);
      return true;
    }
    using InputIterator::Start;

   private:
    struct Ahead {
      Status status;
      Element element;
    };

    Status Start() {
      return background_.Start(1, [this](std::unique_lock<std::mutex>* lock, StepContext* step) {
        return ReadOne(lock, step);
      });
    }

    bool ReadOne(std::unique_lock<std::mutex>* lock, StepContext* step) {
      const auto room = [this] { return ahead_.size() < dataset().size_; };
      if (!background_.WaitForWork(lock, room)) return false;
      lock->unlock();
      Ahead next;
      const ForkGuard guard;  // a fork never finds it half put in
      const Result<bool> found = CatchExceptions([&] { return Pull(step, &next.element); });
      lock->lock();
      next.status = found.status();
      const bool end = found.ok() && !*found;
      if (end) {
        ended_ = true;
      } else {
        ahead_.push_back(std::move(next));
      }
      background_.point().ready.notify_all();
      return !end;
    }

    std::deque<Ahead> ahead_;
    bool ended_ = false;
    Background background_;  // ends first
  };

 private:
  DatasetPtr input_;
  size_t size_;
  std::shared_ptr<FunctionRuntime> runtime_;
};

class PrefetchDatasetOp final : public DatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    runtime_ = FunctionRuntime::Of(construction.resources);
    return DatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(int64_t size, ScalarAt<int64_t>(*context, 1, "buffer_size"));
    if (size == -1) size = kAutotuned;
    if (size < 0) {
      return InvalidArgument("buffer_size must be >= 0 or set buffer_size to be -1 for "
                             "auto-tuning");
    }
    return std::shared_ptr<Dataset>(
        std::make_shared<PrefetchDataset>(spec(), std::move(input), size, runtime_));
  }

 private:
  std::shared_ptr<FunctionRuntime> runtime_;
};

REGISTER_KERNEL(Kernel("PrefetchDataset").OnCpu(), PrefetchDatasetOp);

}  // namespace
}  // namespace tfbuild
