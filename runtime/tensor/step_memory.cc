#include "tensor/step_memory.h"

#include <algorithm>

namespace tfbuild {

StepMemory::Ptr StepMemory::Make(std::shared_ptr<const MemoryPlan> plan) {
  Ptr memory(new StepMemory(std::move(plan)));
  if (memory->learns()) return memory;
  const size_t count = memory->num_places();
  memory->live_.reset(new std::atomic<bool>[count]);
  for (size_t k = 0; k < count; ++k) memory->live_[k].store(false, std::memory_order_relaxed);
  memory->holder_.resize(memory->plan_->starts.size());
  memory->block_ = static_cast<char*>(CpuAllocator()->Allocate(memory->plan_->block_bytes));
  memory->follows_ = memory->block_ != nullptr;
  return memory;
}

StepMemory::~StepMemory() {
  if (block_ != nullptr) CpuAllocator()->Deallocate(block_, plan_->block_bytes);
}

void StepMemory::Release() {
  if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void* StepMemory::Allocate(size_t bytes) {
  if (bytes < kLeastPlanned || std::this_thread::get_id() != thread_) {
    return CpuAllocator()->Allocate(bytes);
  }
  return learns() ? TakeNoted(bytes) : TakePlanned(bytes);
}

Allocator* StepMemory::OwnerOf(const void* data) {
  if (!learns()) return IsInBlock(data) ? static_cast<Allocator*>(this) : CpuAllocator();
  std::lock_guard<std::mutex> lock(mutex_);
  return request_of_.count(data) > 0 ? static_cast<Allocator*>(this) : CpuAllocator();
}

void StepMemory::Deallocate(void* data, size_t bytes) {
  if (learns()) {
    GiveBackNoted(data, bytes);
  } else {
    GiveBackPlanned(data);
  }
  Release();
}

void* StepMemory::TakeNoted(size_t bytes) {
  void* const data = CpuAllocator()->Allocate(bytes);
  if (data == nullptr) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  MemoryRequest request;
  request.bytes = bytes;
  request.taken = time_++;
  request_of_[data] = requests_.size();
  requests_.push_back(request);
  users_.fetch_add(1, std::memory_order_relaxed);
  return data;
}

void StepMemory::GiveBackNoted(void* data, size_t bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = request_of_.find(data);
    if (known != request_of_.end()) {
      requests_[known->second].given_back = time_++;
      request_of_.erase(known);
    }
  }
  CpuAllocator()->Deallocate(data, bytes);
}

void* StepMemory::TakePlanned(size_t bytes) {
  const size_t k = next_;
  follows_ = follows_ && k < num_places() && plan_->places[k].bytes == bytes;
  if (!follows_) return CpuAllocator()->Allocate(bytes);
  const MemoryPlan::Place& place = plan_->places[k];
  // Who had these bytes may have kept them longer than in the step that was learned from.
  follows_ = std::none_of(place.before.begin(), place.before.end(), [this](int before) {
    return live_[static_cast<size_t>(before)].load(std::memory_order_acquire);
  });
  if (!follows_) return CpuAllocator()->Allocate(bytes);
  ++next_;
  if (place.offset == MemoryPlan::kNoPlace) return CpuAllocator()->Allocate(bytes);
  live_[k].store(true, std::memory_order_relaxed);
  holder_[static_cast<size_t>(place.start)] = static_cast<int>(k);
  in_block_.fetch_add(1, std::memory_order_relaxed);
  users_.fetch_add(1, std::memory_order_relaxed);
  return block_ + place.offset;
}

void StepMemory::GiveBackPlanned(const void* data) {
  const size_t offset = static_cast<size_t>(static_cast<const char*>(data) - block_);
  const auto start = std::lower_bound(plan_->starts.begin(), plan_->starts.end(), offset);
  const int holder = holder_[static_cast<size_t>(start - plan_->starts.begin())];
  live_[static_cast<size_t>(holder)].store(false, std::memory_order_release);
  in_block_.fetch_sub(1, std::memory_order_relaxed);
}

std::vector<MemoryRequest> StepMemory::TakeRequests() {
  std::lock_guard<std::mutex> lock(mutex_);
  request_of_.clear();  // what is given back later outlived the step
  return std::move(requests_);
}

StepMemory::Ptr MemoryPlanner::Begin() {
  if (plan_ != nullptr) return StepMemory::Make(plan_);
  if (learning_ || pause_ > 0) {
    pause_ = std::max(0, pause_ - 1);
    return nullptr;
  }
  learning_ = true;
  return StepMemory::Make(nullptr);
}

void MemoryPlanner::Learn(StepMemory* memory) {
  const std::vector<MemoryRequest> requests = memory->TakeRequests();
  MemoryPlan plan;
  if (requests.size() <= kMaxRequests) plan = PlanMemory(requests);
  // A block that the pool would not keep would be asked of the system in every step.
  if (plan.block_bytes < kLeastBlock || !IsKeptByPool(plan.block_bytes)) return Pause();
  plan_ = std::make_shared<const MemoryPlan>(std::move(plan));
  misses_ = 0;
  // The blocks that the step had of its own are of no use to the planned ones.
  ReleaseUnusedCpuMemory();
}

void MemoryPlanner::End(StepMemory* memory, const Status& status) {
  if (memory->learns()) {
    learning_ = false;
    if (status.ok()) Learn(memory);
  } else if (!status.ok()) {
    return;
  } else if (memory->Followed()) {
    ++followed_;
    misses_ = 0;
  } else if (++misses_ >= 2) {  // one may be the odd batch at the end of an epoch
    plan_ = nullptr;
    Pause();
  }
}

void MemoryPlanner::Pause() {
  pause_ = next_pause_;
  next_pause_ = std::min(2 * next_pause_, kMaxPause);
}

}  // namespace tfbuild
