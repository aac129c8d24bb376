#include "kernels/data/parallel_map.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/exceptions.h"
#include "base/loop_helpers.h"
#include "base/parallel.h"
#include "kernels/data/background.h"

namespace tfbuild {
namespace {

class ParallelMapDataset final : public DatasetOf<ParallelMapDataset> {
 public:
  ParallelMapDataset(ElementSpec spec, DatasetPtr input, CapturedPtr function, int threads,
                     bool sloppy, std::shared_ptr<FunctionRuntime> runtime)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        threads_(threads),
        sloppy_(sloppy),
        runtime_(std::move(runtime)) {}
  const DatasetPtr& input() const { return input_; }
  int64_t Count() const override { return input_->Cardinality(); }

  class Iterator final : public InputIterator<ParallelMapDataset> {
   public:
    explicit Iterator(const ParallelMapDataset* dataset)
        : InputIterator(dataset), background_(dataset->runtime_) {}
    using InputIterator::Start;

    Result<bool> Advance(StepContext* step, Element* element) override {
      std::unique_lock<std::mutex> lock(background_.point().mutex);
      if (!background_.started()) RETURN_IF_ERROR(StartThreads());
      auto chosen = calls_.end();
      RETURN_IF_ERROR(background_.Wait(step, &lock, &background_.point().ready, [&] {
        chosen = FindDone();
        return chosen != calls_.end() || (input_ended_ && calls_.empty());
      }));
      if (chosen == calls_.end()) return false;
      const std::shared_ptr<Call> call = std::move(*chosen);
      calls_.erase(chosen);
      background_.point().work.notify_one();
      if (call->status.code() == Code::kOutOfRange) {  // a function may end the dataset
        input_ended_ = true;
        calls_.clear();
        return false;
      }
      RETURN_IF_ERROR(call->status);
      *element = std::move(call->results);
      return true;
    }

   private:
    // One element on its way through the function.
    struct Call {
      bool done = false;
      Status status;
      Element results;
    };
    using Calls = std::deque<std::shared_ptr<Call>>;

    // The next call to hand on, if it is done.
    Calls::iterator FindDone() {
      if (!dataset().sloppy_) {
        return !calls_.empty() && calls_.front()->done ? calls_.begin() : calls_.end();
      }
      return std::find_if(calls_.begin(), calls_.end(), [](const auto& c) { return c->done; });
    }

    Status StartThreads() {
      return background_.Start(dataset().threads_,
                               [this](std::unique_lock<std::mutex>* lock, StepContext* step) {
                                 return Work(lock, step);
                               });
    }

    // Takes one element and calls the function.
    bool Work(std::unique_lock<std::mutex>* lock, StepContext* step) {
      const size_t limit = 2 * static_cast<size_t>(dataset().threads_);
      const bool go_on = background_.WaitForWork(lock, [&] {
        return input_ended_ || (!pulling_ && calls_.size() < limit);
      });
      if (!go_on || input_ended_) return false;
      pulling_ = true;
      lock->unlock();
      auto call = std::make_shared<Call>();
      Element arguments;
      Result<bool> found = false;
      const ForkGuard guard;
      found = CatchExceptions([&] { return Pull(step, &arguments); });
      lock->lock();
      pulling_ = false;
      const bool end = input_ended_ || (found.ok() && !*found);
      if (end) {
        input_ended_ = true;
        background_.point().work.notify_all();
        background_.point().ready.notify_all();
        return false;
      }
      calls_.push_back(call);
      background_.point().work.notify_one();
      lock->unlock();
      call->status = found.ok() ? CatchExceptions([&] {
        return Compute(step, std::move(arguments), &call->results);
      }) : found.status();
      lock->lock();
      call->done = true;
      if (dataset().sloppy_ || calls_.empty() || calls_.front() == call) {
        background_.point().ready.notify_all();
      }
      return true;
    }

    // Where there is a call for each processor, no kernel of one gets helpers: they would only take
    // the processor from another call.
    Status Compute(StepContext* step, Element arguments, Element* results) const {
      std::optional<NoHelpers> alone;
      if (dataset().threads_ >= MaxThreads()) alone.emplace();
      return dataset().function_->Call(step, std::move(arguments), results);
    }

    Calls calls_;
    bool pulling_ = false;
    bool input_ended_ = false;
    Background background_;  // ends first
  };

 private:
  DatasetPtr input_;
  CapturedPtr function_;
  int threads_;
  bool sloppy_;
  std::shared_ptr<FunctionRuntime> runtime_;
};

}  // namespace

Result<std::shared_ptr<Dataset>> MakeParallelMapDataset(ElementSpec spec, DatasetPtr input,
                                                        CapturedPtr function, int64_t calls,
                                                        bool sloppy,
                                                        std::shared_ptr<FunctionRuntime> runtime) {
  if (calls == -1) calls = MaxThreads();
  if (calls < 1) return InvalidArgument("num_parallel_calls must be greater than zero.");
  const int threads = static_cast<int>(std::min(calls, kMaxThreads));
  return std::shared_ptr<Dataset>(std::make_shared<ParallelMapDataset>(
      std::move(spec), std::move(input), std::move(function), threads, sloppy,
      std::move(runtime)));
}

}  // namespace tfbuild
