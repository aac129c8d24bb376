#include "tensor/memory_watch.h"

#include <thread>

#include "tensor/tensor.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

Tensor Floats(int64_t count) {
  return *Tensor::Allocate(CpuAllocator(), DType::kFloat, Shape{count});
}

TEST(MemoryWatch, CountsWhatIsTakenAndGivenBack) {
  MemoryTally tally;
  Tensor older = Floats(10);
  {
    const MemoryWatch watch(MemoryWatch::Of::kStep, &tally);
    Tensor kept = Floats(100);
    { const Tensor gone = Floats(50); }
    const Tensor shared = kept;
    older = Tensor();
    const MemoryUse use = tally.uses()[0];
    EXPECT_TRUE(use.allocator == CpuAllocator());
    EXPECT_EQ(use.total, 600);
    EXPECT_EQ(use.peak, 600);
    EXPECT_EQ(use.live, 360);  // less 40 of the one from before
  }
  const Tensor unwatched = Floats(1000);
  EXPECT_EQ(tally.uses()[0].total, 600);
}

TEST(MemoryWatch, AKernelIsWatchedBesideItsStepAndOtherThreadsAreNot) {
  MemoryTally step;
  MemoryTally kernel;
  const MemoryWatch outer(MemoryWatch::Of::kStep, &step);
  const Tensor before = Floats(1);
  const MemoryWatch inner(MemoryWatch::Of::kKernel, &kernel);
  const Tensor during = Floats(2);
  std::thread([] { Floats(1000); }).join();
  EXPECT_EQ(step.uses()[0].total, 12);
  EXPECT_EQ(kernel.uses()[0].total, 8);
}

}  // namespace
}  // namespace tfbuild
