#include "base/stop.h"

#include <atomic>

#include "base/exceptions.h"
#include "base/parallel.h"
#include "base/stop_look.h"
#include "testing/limited_work.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

// What becomes of a loop of 100 parts, and how many of them have run.
Status RunLoopOf(Stoppable* work, int64_t* ran) {
  std::atomic<int64_t> count{0};
  const Status status = CatchExceptions([&] {
    const StopScope scope(work);
    RunParts(100, [](const void* context, int64_t) {
      ++*static_cast<std::atomic<int64_t>*>(const_cast<void*>(context));
    }, &count);
    return OkStatus();
  });
  *ran = count;
  return status;
}

TEST(Stop, EndsALoopBetweenItsParts) {
  for (const int threads : {1, 4}) {
    SetMaxThreads(threads);
    LimitedWork work(10);
    int64_t ran = 0;
    const Status status = RunLoopOf(&work, &ran);
    EXPECT_TRUE(status.code() == Code::kCancelled);
    EXPECT_EQ(status.message(), "enough");
    EXPECT_EQ(ran, int64_t{10});
  }
  SetMaxThreads(0);
}

TEST(StopLook, LooksOnceInSoManyTurns) {
  uint32_t turns = 0;
  const Status status = StoppedAfter(2, [&turns]() -> Status {
    StopLook look;
    while (true) {
      ++turns;
      look.Turn();
    }
  });
  EXPECT_TRUE(status.code() == Code::kCancelled);
  EXPECT_EQ(turns, 3 * StopLook::kTurns);
}

TEST(Stop, WorkForNobodyGoesOn) {
  LimitedWork work(0);
  const StopScope scope(&work);
  int64_t ran = 0;
  EXPECT_OK(RunLoopOf(nullptr, &ran));
  EXPECT_EQ(ran, int64_t{100});
  EXPECT_TRUE(StoppableHere() == &work);
}

TEST(Stop, LongLoopsHaveManyPieces) {
  SetMaxThreads(1);
  int64_t pieces = 0;
  ParallelFor(int64_t{1} << 30, 1 << 10, [&](int64_t, int64_t) { ++pieces; });
  EXPECT_TRUE(pieces >= 1 << 14);
  SetMaxThreads(0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
