#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "kernels/framework/op_kernel.h"
#include "tensor/memory_watch.h"

namespace tfbuild {

// What an output of a kernel held when the kernel had run.
struct TracedOutput {
  int slot = 0;
  DType dtype = DType::kInvalid;
  Shape shape;
  int64_t bytes = 0;
  int64_t allocated_bytes = 0;
  uint64_t address = 0;
  bool sole_owner = false;
  bool on_host = true;
};

// What went on between two moments of a step: a kernel, or a copy from one memory to another. Times
// are nanoseconds since the step began.
struct TracedRun {
  enum class Kind { kKernel, kOnGpu, kCopyToGpu, kCopyToHost, kCopyWithinGpus };
  Kind kind = Kind::kKernel;
  const Node* node = nullptr;
  const Device* device = nullptr;
  const std::string* label = nullptr;  // "name = Op(inputs)", kept by the program
  int64_t scheduled = 0;               // when the inputs were there
  int64_t start = 0;
  int64_t op_start = 0;
  int64_t op_end = 0;
  int64_t end = 0;
  uint32_t thread = 0;
  std::vector<TracedOutput> outputs;
  std::vector<MemoryUse> memory;
};

// What a step does and when, as long as there is room: of the first kMaxRuns everything, of later
// ones the number. Thread-safe.
class StepTrace {
 public:
  // A loop of millions of iterations has more.
  static constexpr size_t kMaxRuns = size_t{1} << 17;

  // With `wait_for_gpus` a kernel on a GPU is waited for, and traced as long as it takes there.
  explicit StepTrace(bool wait_for_gpus) : wait_for_gpus_(wait_for_gpus) {}

  bool wait_for_gpus() const { return wait_for_gpus_; }
  // Nanoseconds since the step began.
  int64_t Now() const;
  // Takes a run in, as one of the calling thread; counts it where there is no room.
  void Add(TracedRun run);
  // What the tensors of the whole step took.
  MemoryTally* memory() { return &memory_; }

  size_t num_runs() const;
  size_t num_dropped() const;
  // The most bytes that tensors of the step had at once, by the allocator's name.
  std::map<std::string, int64_t> PeakBytes() const;
  // All of it as TensorFlow's StepStats message (step_stats.proto).
  std::string StepStats() const;

 private:
  std::string AllocatorName(const Allocator* allocator) const;
  std::string SerializeRun(const TracedRun& run) const;
  std::string SerializeOutput(const TracedRun& run, const TracedOutput& output) const;
  std::string SerializeMemory(const MemoryUse& use) const;
  std::string LabelOf(const TracedRun& run) const;

  const bool wait_for_gpus_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  const std::chrono::system_clock::time_point begin_of_day_ = std::chrono::system_clock::now();
  MemoryTally memory_;
  mutable std::mutex mutex_;
  std::vector<TracedRun> runs_;
  size_t dropped_ = 0;
  std::map<std::thread::id, uint32_t> threads_;
  std::map<const Allocator*, std::string> allocators_;  // of the GPUs that were met
};

// Notes what an output holds; nothing where it holds nothing.
void TraceOutput(int slot, const Entry& output, bool on_host, TracedRun* run);

}  // namespace tfbuild
