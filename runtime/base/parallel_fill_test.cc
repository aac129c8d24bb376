#include "base/parallel_fill.h"

#include <vector>

#include "base/exceptions.h"
#include "base/stop.h"
#include "testing/limited_work.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int64_t kMuch = 300 * kParallelFillGrain;

TEST(ParallelFill, SetsAllElements) {
  for (const int64_t count : {int64_t{0}, int64_t{1}, 5 * kParallelFillGrain + 3}) {
    std::vector<int> filled(static_cast<size_t>(count), 1);
    ParallelFill(filled.data(), count, 7);
    EXPECT_TRUE(std::count(filled.begin(), filled.end(), 7) == count);
    std::vector<double> wide(filled.size(), 0.0);
    ParallelConvert(filled.data(), count, wide.data());
    EXPECT_TRUE(std::count(wide.begin(), wide.end(), 7.0) == count);
    ParallelZero(filled.data(), count * static_cast<int64_t>(sizeof(int)));
    EXPECT_TRUE(std::count(filled.begin(), filled.end(), 0) == count);
  }
}

TEST(ParallelFill, EndsWhereItsWorkMust) {
  std::vector<char> filled(static_cast<size_t>(kMuch), 'a');
  LimitedWork work(2);
  const Status status = CatchExceptions([&] {
    const StopScope scope(&work);
    ParallelFill(filled.data(), kMuch, 'b');
    return OkStatus();
  });
  EXPECT_TRUE(status.code() == Code::kCancelled);
  EXPECT_TRUE(filled.back() == 'a');
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
