// ParallelInterleaveDataset and its versions: datasets out of a function, read ahead by threads, their
// elements in turn.
#include <algorithm>
#include <deque>

#include "base/exceptions.h"
#include "base/parallel.h"
#include "kernels/data/background.h"
#include "kernels/data/captured_function.h"

namespace tfbuild {
namespace {

REGISTER_OP("ParallelInterleaveDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .Attr("sloppy: bool = false")
    .TFBUILD_DATASET_METADATA;
REGISTER_OP("ParallelInterleaveDatasetV4")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Input("num_parallel_calls: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("LegacyParallelInterleaveDatasetV2")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("deterministic: string = 'default'")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ParallelInterleaveDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("sloppy: bool")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS.TFBUILD_DATASET_METADATA;
REGISTER_OP("ExperimentalParallelInterleaveDataset")
    .Input("input_dataset: variant")
    .Input("other_arguments: Targuments")
    .Input("cycle_length: int64")
    .Input("block_length: int64")
    .Input("sloppy: bool")
    .Input("buffer_output_elements: int64")
    .Input("prefetch_input_elements: int64")
    .Output("handle: variant")
    .Attr("f: func")
    .Attr("Targuments: list(type) >= 0")
    .TFBUILD_DATASET_ATTRS
    .ShapeFunction(ScalarShape);

constexpr int64_t kMaxAhead = 1 << 16;

struct InterleaveSizes {
  int64_t cycle = 1, block = 1, ahead = 1, threads = 1;
  bool sloppy = false;
};

class ParallelInterleaveDataset final : public DatasetOf<ParallelInterleaveDataset> {
 public:
  ParallelInterleaveDataset(ElementSpec spec, DatasetPtr input, CapturedPtr function,
                            InterleaveSizes sizes, std::shared_ptr<FunctionRuntime> runtime)
      : DatasetOf(std::move(spec)),
        input_(std::move(input)),
        function_(std::move(function)),
        sizes_(sizes),
        runtime_(std::move(runtime)) {}
  const DatasetPtr& input() const { return input_; }

  class Iterator final : public InputIterator<ParallelInterleaveDataset> {
   public:
    explicit Iterator(const ParallelInterleaveDataset* dataset)
        : InputIterator(dataset), background_(dataset->runtime_) {}
    using InputIterator::Start;

    Result<bool> Advance(StepContext* step, Element* element) override {
      std::unique_lock<std::mutex> lock(background_.point().mutex);
      if (!background_.started()) RETURN_IF_ERROR(StartThreads());
      Ahead next;
      bool found = false;
      RETURN_IF_ERROR(background_.Wait(step, &lock, &background_.point().ready, [&] {
        found = found || TakeNext(&next);  // asked several times
        return found || (input_ended_ && Live() == 0);
      }));
      background_.point().work.notify_all();
      if (!found) return false;
      RETURN_IF_ERROR(next.status);
      *element = std::move(next.element);
      return true;
    }

   private:
    struct Ahead {
      Status status;
      Element element;
    };
    // One dataset that is being read, or none yet.
    struct Slot {
      IteratorPtr iterator;
      std::deque<Ahead> ahead;
      bool busy = false;
      bool opened = false;  // has a dataset, or an error in its place
      bool ended = false;   // nothing comes but what is ahead
    };

    int64_t Live() const { return live_; }

    // Takes what is next in turn: false while that is not there yet. Slots that are done are passed.
    bool TakeNext(Ahead* next) {
      for (size_t tried = 0; !slots_.empty() && tried <= slots_.size(); ++tried) {
        Slot& slot = *slots_[turn_];
        if (!slot.ahead.empty()) {
          *next = std::move(slot.ahead.front());
          slot.ahead.pop_front();
          if (++in_block_ == dataset().sizes_.block) Advance();
          return true;
        }
        const bool spent = slot.opened && slot.ended && !slot.busy;
        if (spent) {
          slots_[turn_] = std::make_unique<Slot>();
          --live_;
          background_.point().work.notify_all();
          Advance();
          tried = 0;
          continue;
        }
        const bool never = !slot.opened && !slot.busy && input_ended_;
        if (!never && !dataset().sizes_.sloppy) return false;
        Advance();
      }
      return false;
    }
    void Advance() {
      in_block_ = 0;
      turn_ = (turn_ + 1) % slots_.size();
    }

    Status StartThreads() {
      for (int64_t i = 0; i < dataset().sizes_.cycle; ++i) slots_.push_back(std::make_unique<Slot>());
      return background_.Start(static_cast<int>(dataset().sizes_.threads),
                               [this](std::unique_lock<std::mutex>* lock, StepContext* step) {
                                 return Work(lock, step);
                               });
    }

    // The first slot from the turn on that a thread can do something for; null when there is none.
    Slot* FindWork() {
      for (size_t i = 0; i < slots_.size(); ++i) {
        Slot& slot = *slots_[(turn_ + i) % slots_.size()];
        if (slot.busy || slot.ended) continue;
        if (!slot.opened) {
          if (!pulling_ && !input_ended_) return &slot;
        } else if (static_cast<int64_t>(slot.ahead.size()) < dataset().sizes_.ahead) {
          return &slot;
        }
      }
      return nullptr;
    }

    bool Work(std::unique_lock<std::mutex>* lock, StepContext* step) {
      Slot* slot = nullptr;
      const bool go_on = background_.WaitForWork(lock, [&] {
        slot = FindWork();
        return slot != nullptr || (input_ended_ && live_ == 0 && !pulling_);
      });
      if (!go_on || slot == nullptr) return false;
      slot->busy = true;
      if (slot->opened) {
        ReadOne(slot, lock, step);
      } else {
        Open(slot, lock, step);
      }
      slot->busy = false;
      background_.point().ready.notify_all();
      background_.point().work.notify_all();
      return true;
    }

    void ReadOne(Slot* slot, std::unique_lock<std::mutex>* lock, StepContext* step) {
      lock->unlock();
      Ahead next;
      const ForkGuard guard;  // a fork never finds it half put in
      const Result<bool> found =
          CatchExceptions([&] { return slot->iterator->Next(step, &next.element); });
      lock->lock();
      next.status = found.status();
      if (found.ok() && !*found) {
        slot->ended = true;
      } else {
        slot->ahead.push_back(std::move(next));
      }
    }

    void Open(Slot* slot, std::unique_lock<std::mutex>* lock, StepContext* step) {
      pulling_ = true;
      lock->unlock();
      Element arguments;
      const ForkGuard guard;
      Result<bool> found = CatchExceptions([&] { return Pull(step, &arguments); });
      lock->lock();
      pulling_ = false;
      if (found.ok() && !*found) {
        input_ended_ = true;
        return;
      }
      ++live_;
      slot->opened = true;
      background_.point().work.notify_all();
      lock->unlock();
      Status status = found.status();
      if (status.ok()) {
        status = CatchExceptions([&]() -> Status {
          ASSIGN_OR_RETURN(const DatasetPtr inner,
                           dataset().function_->CallForDataset(step, std::move(arguments)));
          ASSIGN_OR_RETURN(slot->iterator, inner->MakeIterator(step));
          return OkStatus();
        });
      }
      lock->lock();
      if (!status.ok()) {
        slot->ahead.push_back({status, {}});
        slot->ended = true;
      }
    }

    std::vector<std::unique_ptr<Slot>> slots_;
    size_t turn_ = 0;
    int64_t in_block_ = 0;
    int64_t live_ = 0;  // slots that are opened
    bool pulling_ = false;
    bool input_ended_ = false;
    Background background_;  // ends first
  };

 private:
  DatasetPtr input_;
  CapturedPtr function_;
  InterleaveSizes sizes_;
  std::shared_ptr<FunctionRuntime> runtime_;
};

// Which version's inputs follow cycle_length and block_length.
enum class Version { kV2, kV4, kLegacyV2, kSloppyInput };

template <Version kVersion>
class ParallelInterleaveDatasetOp final : public FunctionDatasetOp {
 public:
  Status Init(const OpKernelConstruction& construction) override {
    const Result<bool> sloppy = construction.Attr<bool>("sloppy");
    const Result<std::string> order = construction.Attr<std::string>("deterministic");
    sloppy_ = (sloppy.ok() && *sloppy) || (order.ok() && *order == "false");
    runtime_ = FunctionRuntime::Of(construction.resources);
    return FunctionDatasetOp::Init(construction);
  }

 protected:
  Result<std::shared_ptr<Dataset>> Make(OpKernelContext* context) override {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(context->input(0)));
    ASSIGN_OR_RETURN(CapturedPtr function, Function(*context));
    int next = 1 + num_captured();
    InterleaveSizes sizes;
    sizes.sloppy = sloppy_;
    ASSIGN_OR_RETURN(sizes.cycle, ScalarAt<int64_t>(*context, next++, "cycle_length"));
    ASSIGN_OR_RETURN(sizes.block, ScalarAt<int64_t>(*context, next++, "block_length"));
    int64_t ahead = -1, calls = -1;
    if (kVersion == Version::kSloppyInput) {
      ASSIGN_OR_RETURN(sizes.sloppy, ScalarAt<bool>(*context, next++, "sloppy"));
    }
    if (kVersion != Version::kV2) {
      ASSIGN_OR_RETURN(ahead, ScalarAt<int64_t>(*context, next++, "buffer_output_elements"));
      ++next;  // prefetch_input_elements: a slot is opened as soon as it is free
    }
    if (kVersion == Version::kV2 || kVersion == Version::kV4) {
      ASSIGN_OR_RETURN(calls, ScalarAt<int64_t>(*context, next++, "num_parallel_calls"));
    }
    const int64_t processors = MaxThreads();
    if (sizes.cycle == -1) sizes.cycle = processors;
    if (sizes.cycle <= 0) return InvalidArgument("`cycle_length` must be > 0");
    if (sizes.cycle > kMaxAhead) {
      return InvalidArgument("`cycle_length` must be at most ", kMaxAhead);
    }
    if (sizes.block <= 0) return InvalidArgument("`block_length` must be > 0");
    if (calls != -1 && calls <= 0) return InvalidArgument("num_parallel_calls must be > 0");
    // The versions without that number read each dataset of the cycle by itself.
    const bool each = kVersion == Version::kLegacyV2 || kVersion == Version::kSloppyInput;
    sizes.threads = std::min({kMaxThreads, sizes.cycle, each ? sizes.cycle : calls > 0 ? calls : processors});
    sizes.ahead = std::min(kMaxAhead, ahead > 0 ? ahead : std::max<int64_t>(sizes.block, 8));
    return std::shared_ptr<Dataset>(std::make_shared<ParallelInterleaveDataset>(
        spec(), std::move(input), std::move(function), sizes, runtime_));
  }

 private:
  bool sloppy_ = false;
  std::shared_ptr<FunctionRuntime> runtime_;
};

REGISTER_KERNEL(Kernel("ParallelInterleaveDatasetV2").OnCpu(),
                ParallelInterleaveDatasetOp<Version::kV2>);
REGISTER_KERNEL(Kernel("ParallelInterleaveDatasetV4").OnCpu(),
                ParallelInterleaveDatasetOp<Version::kV4>);
REGISTER_KERNEL(Kernel("LegacyParallelInterleaveDatasetV2").OnCpu(),
                ParallelInterleaveDatasetOp<Version::kLegacyV2>);
REGISTER_KERNEL(Kernel("ParallelInterleaveDataset").OnCpu(),
                ParallelInterleaveDatasetOp<Version::kSloppyInput>);
REGISTER_KERNEL(Kernel("ExperimentalParallelInterleaveDataset").OnCpu(),
                ParallelInterleaveDatasetOp<Version::kSloppyInput>);

}  // namespace
}  // namespace tfbuild
