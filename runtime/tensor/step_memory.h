#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "tensor/memory_plan.h"
#include "tensor/allocator_part.h"

namespace tfbuild {

// The host memory of one step that runs on one thread. It either notes what the step takes and gives
// back, or has a plan of that from an earlier step: then tensors lie in one block, as long as the
// step takes the same as then, and in memory of their own from where it does not. Small tensors
// always have memory of their own.
//
// The block goes with its step, or with the last tensor in it where one outlives the step against the
// plan. What lies elsewhere belongs to CpuAllocator: a small result that is kept keeps no block.
class StepMemory final : public AllocatorPart {
 public:
  // Smaller allocations are not planned.
  static constexpr size_t kLeastPlanned = size_t{16} << 10;
  struct Ender {
    void operator()(StepMemory* memory) const { memory->Release(); }
  };
  using Ptr = std::unique_ptr<StepMemory, Ender>;

  // For the step that this thread is about to run; notes what it does where the plan is null.
  static Ptr Make(std::shared_ptr<const MemoryPlan> plan);

  void* Allocate(size_t bytes) override;
  void Deallocate(void* data, size_t bytes) override;
  Allocator* OwnerOf(const void* data) override;
  Allocator* whole() override { return CpuAllocator(); }

  bool learns() const { return plan_ == nullptr; }
  // What the step took, where it was noted; ends the notes.
  std::vector<MemoryRequest> TakeRequests();
  // Whether the step took what was planned and, asked behind it, has given all of it back.
  bool Followed() const { return follows_ && next_ == num_places() && in_block_.load() == 0; }

 private:
  explicit StepMemory(std::shared_ptr<const MemoryPlan> plan) : plan_(std::move(plan)) {}
  ~StepMemory() override;
  void Release();
  size_t num_places() const { return plan_->places.size(); }
  bool IsInBlock(const void* data) const {
    const char* const at = static_cast<const char*>(data);
    return block_ != nullptr && at >= block_ && at < block_ + plan_->block_bytes;
  }
  void* TakeNoted(size_t bytes);
  void GiveBackNoted(void* data, size_t bytes);
  void* TakePlanned(size_t bytes);
  void GiveBackPlanned(const void* data);

  const std::thread::id thread_ = std::this_thread::get_id();
  // One for the step and one for each tensor in the block, or that is noted.
  std::atomic<int64_t> users_{1};

  // With a plan: allocations are made by the thread of the step, and given back by any.
  const std::shared_ptr<const MemoryPlan> plan_;
  char* block_ = nullptr;
  size_t next_ = 0;
  bool follows_ = true;
  std::unique_ptr<std::atomic<bool>[]> live_;  // of each place
  std::vector<int> holder_;                    // of each start: the place that was last taken there
  std::atomic<int64_t> in_block_{0};

  // Without one.
  std::mutex mutex_;
  std::vector<MemoryRequest> requests_;
  std::unordered_map<const void*, size_t> request_of_;
  int time_ = 0;
};

// Decides for the steps of one program which of them learn and which have a plan. Not thread-safe.
class MemoryPlanner {
 public:
  // Blocks below this size are not worth a plan.
  static constexpr size_t kLeastBlock = size_t{1} << 20;

  // Null where the step needs none: it takes its memory from the pool.
  StepMemory::Ptr Begin();
  // Behind a step that has come to its end, when its values have gone where they go.
  void End(StepMemory* memory, const Status& status);
  // How many steps followed a plan to its end.
  int64_t followed() const { return followed_; }

 private:
  static constexpr int kMaxPause = 1024;
  static constexpr size_t kMaxRequests = 8192;  // planning compares each with each
  void Learn(StepMemory* memory);
  void Pause();

  std::shared_ptr<const MemoryPlan> plan_;
  bool learning_ = false;  // one step at a time
  int pause_ = 0;          // steps until the next may learn
  int next_pause_ = 1;
  int64_t followed_ = 0;
  int misses_ = 0;  // steps since the plan was last followed
};

}  // namespace tfbuild
