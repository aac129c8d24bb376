#include "kernels/data/dataset_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(PrefetchDataset, GivesTheSameElements) {
  const auto ahead = [](int64_t size) {
    return DatasetOpTest("PrefetchDataset").Input(RangeOf(50)).Input(Int(size));
  };
  for (const int64_t size : {0, 1, 3, 100, -1}) {
    const auto elements = ReadAll(DatasetOf(ahead(size)));
    ASSERT_OK(elements);
    EXPECT_EQ(elements->size(), size_t{50});
    EXPECT_EQ(Values(elements->back()[0])[0], 49.0);
  }
  EXPECT_EQ(Numbers(DatasetOf(ahead(7)), 2), "0 1");  // and ends in the middle
  ahead(-2).RunExpectingError(Code::kInvalidArgument, "auto-tuning");
}

TEST(PrefetchDataset, TheEndOfAStepEndsTheWait) {
  // For ever nothing: each round of the take is empty.
  const Tensor none = DatasetOf(DatasetOpTest("TakeDataset").Input(RangeOf(5)).Input(Int(0)));
  const Tensor two = DatasetOf(DatasetOpTest("RepeatDataset").Input(none).Input(Int(INT64_MAX)));
  const Tensor ahead = DatasetOf(DatasetOpTest("PrefetchDataset").Input(two).Input(Int(1)));
  StepContext step(1);
  step.deadline = StepContext::Clock::now() + std::chrono::milliseconds(50);
  const auto dataset = DatasetIn(ahead);
  ASSERT_OK(dataset);
  const auto iterator = (*dataset)->MakeIterator(&step);
  ASSERT_OK(iterator);
  Element element;
  EXPECT_ERROR((*iterator)->Next(&step, &element), Code::kDeadlineExceeded, "timeout_in_ms");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
