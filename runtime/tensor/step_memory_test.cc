#include "tensor/step_memory.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "tensor/memory_watch.h"
#include "tensor/tensor.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

Tensor Take(StepMemory* memory, int64_t bytes, uint8_t value) {
  Result<Tensor> tensor = Tensor::Allocate(memory, DType::kUint8, Shape{bytes});
  EXPECT_OK(tensor);
  std::memset(tensor->raw(), value, static_cast<size_t>(bytes));
  return *std::move(tensor);
}

bool IsAll(const Tensor& tensor, uint8_t value) {
  const uint8_t* data = tensor.data<uint8_t>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    if (data[i] != value) return false;
  }
  return true;
}

// Runs a step of a program: three tensors one after the other, two of which live together, and one
// that the caller keeps. Returns the addresses.
std::vector<char*> RunStep(MemoryPlanner* planner, int64_t first_bytes, Tensor* kept,
                           bool keep_first = false) {
  StepMemory::Ptr memory = planner->Begin();
  if (memory == nullptr) return {};
  std::vector<char*> addresses;
  {
    std::optional<Tensor> first = Take(memory.get(), first_bytes, 1);
    std::optional<Tensor> second = Take(memory.get(), 2 * kMiB, 2);
    addresses.push_back(static_cast<char*>(first->raw()));
    addresses.push_back(static_cast<char*>(second->raw()));
    EXPECT_TRUE(IsAll(*first, 1) && IsAll(*second, 2));
    Tensor longer;
    if (keep_first) longer = *first;
    first.reset();
    Tensor third = Take(memory.get(), kMiB, 3);
    addresses.push_back(static_cast<char*>(third.raw()));
    EXPECT_TRUE(IsAll(*second, 2) && IsAll(third, 3));
    if (keep_first) EXPECT_TRUE(IsAll(longer, 1));
    *kept = Take(memory.get(), kMiB, 4);
    addresses.push_back(static_cast<char*>(kept->raw()));
  }
  planner->End(memory.get(), OkStatus());
  return addresses;
}

TEST(StepMemory, LearnsFromOneStepAndPutsTheNextIntoOneBlock) {
  MemoryPlanner planner;
  Tensor kept[3];
  RunStep(&planner, kMiB, &kept[0]);
  for (int step = 1; step < 3; ++step) {
    const std::vector<char*> at = RunStep(&planner, kMiB, &kept[step]);
    EXPECT_EQ(at.size(), size_t{4});
    if (at.size() != 4) return;
    EXPECT_EQ(at[0], at[2]);  // given back before
    EXPECT_EQ(at[0] - at[1], 2 * kMiB);
    EXPECT_TRUE(at[3] < at[1] || at[3] >= at[1] + 3 * kMiB);
  }
  for (const Tensor& tensor : kept) EXPECT_TRUE(IsAll(tensor, 4));
}

TEST(StepMemory, TakesWhatWasNotPlannedFromThePool) {
  MemoryPlanner planner;
  Tensor kept;
  RunStep(&planner, kMiB, &kept);
  const std::vector<char*> planned = RunStep(&planner, kMiB, &kept);
  EXPECT_EQ(RunStep(&planner, kMiB / 2, &kept).size(), size_t{4});  // another shape
  EXPECT_TRUE(IsAll(kept, 4));
  // One such step does not change the plan ...
  const std::vector<char*> again = RunStep(&planner, kMiB, &kept);
  EXPECT_EQ(again[0] - again[1], planned[0] - planned[1]);
  // ... two do: the next step learns, or has no memory of its own for a while.
  RunStep(&planner, kMiB / 2, &kept);
  RunStep(&planner, kMiB / 2, &kept);
  for (int step = 0; step < 4; ++step) RunStep(&planner, kMiB / 2, &kept);
  const std::vector<char*> other = RunStep(&planner, kMiB / 2, &kept);
  EXPECT_EQ(other.size(), size_t{4});
  if (other.size() != 4) return;
  EXPECT_TRUE(other[2] != other[1]);
}

TEST(StepMemory, KeepsWhatLivesLongerThanLearned) {
  MemoryPlanner planner;
  Tensor kept;
  RunStep(&planner, kMiB, &kept);
  for (int step = 0; step < 8; ++step) RunStep(&planner, kMiB, &kept, step % 2 == 0);
}

TEST(StepMemory, TheBlockGoesWithItsStepThoughAResultIsKept) {
  MemoryPlanner planner;
  std::vector<Tensor> kept(1);
  RunStep(&planner, kMiB, &kept[0]);
  std::vector<char*> blocks;
  for (int step = 0; step < 8; ++step) {
    const std::vector<char*> at = RunStep(&planner, kMiB, &kept.emplace_back());
    EXPECT_EQ(at.size(), size_t{4});
    if (at.size() == 4) blocks.push_back(at[1]);
  }
  // The pool hands the block of the last step to the next one.
  EXPECT_TRUE(std::all_of(blocks.begin(), blocks.end(), [&](char* at) { return at == blocks[0]; }));
  for (const Tensor& tensor : kept) EXPECT_TRUE(IsAll(tensor, 4));
}

TEST(StepMemory, IsThereUntilItsLastTensorIsGone) {
  MemoryPlanner planner;
  Tensor kept;
  RunStep(&planner, kMiB, &kept);
  StepMemory::Ptr memory = planner.Begin();
  EXPECT_TRUE(memory != nullptr && !memory->learns());
  Tensor first = Take(memory.get(), kMiB, 7);  // was given back in the step that was learned
  planner.End(memory.get(), OkStatus());
  memory.reset();
  RunStep(&planner, kMiB, &kept);
  EXPECT_TRUE(IsAll(first, 7));
}

TEST(StepMemory, GivesOtherThreadsMemoryOfTheirOwn) {
  MemoryPlanner planner;
  Tensor kept;
  RunStep(&planner, kMiB, &kept);
  StepMemory::Ptr memory = planner.Begin();
  EXPECT_TRUE(memory != nullptr);
  Tensor other;
  std::thread([&] { other = Take(memory.get(), kMiB, 8); }).join();
  Tensor first = Take(memory.get(), kMiB, 1);
  Tensor second = Take(memory.get(), 2 * kMiB, 2);
  EXPECT_EQ(static_cast<char*>(first.raw()) - static_cast<char*>(second.raw()), 2 * kMiB);
  std::thread([&] { first = Tensor(); }).join();
  EXPECT_TRUE(IsAll(other, 8) && IsAll(second, 2));
}

TEST(StepMemory, SmallProgramsHaveNone) {
  MemoryPlanner planner;
  int with_memory = 0;
  for (int step = 0; step < 100; ++step) {
    StepMemory::Ptr memory = planner.Begin();
    if (memory == nullptr) continue;
    ++with_memory;
    EXPECT_TRUE(memory->learns());
    const Tensor small = Take(memory.get(), 100000, 1);
    planner.End(memory.get(), OkStatus());
  }
  EXPECT_TRUE(with_memory < 10);
}

TEST(StepMemory, AFailedStepTeachesNothing) {
  MemoryPlanner planner;
  StepMemory::Ptr memory = planner.Begin();
  { const Tensor first = Take(memory.get(), 4 * kMiB, 1); }
  planner.End(memory.get(), Internal("failed"));
  memory = planner.Begin();
  EXPECT_TRUE(memory != nullptr && memory->learns());
}

TEST(StepMemory, IsCountedAsThePools) {
  MemoryPlanner planner;
  Tensor kept;
  RunStep(&planner, kMiB, &kept);
  MemoryTally tally;
  const MemoryWatch watch(MemoryWatch::Of::kStep, &tally);
  RunStep(&planner, kMiB, &kept);
  EXPECT_EQ(tally.uses().size(), size_t{1});
  EXPECT_EQ(tally.uses()[0].allocator, CpuAllocator());
  EXPECT_EQ(tally.uses()[0].peak, 4 * kMiB);
}

}  // namespace
}  // namespace tfbuild
