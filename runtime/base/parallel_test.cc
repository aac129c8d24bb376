#include "base/parallel.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "base/intra_op_team.h"
#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(ParallelFor, VisitsEachIndexOnce) {
  std::vector<std::atomic<int>> visits(10007);
  ParallelFor(10007, 10, [&visits](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
  });
  for (const auto& count : visits) EXPECT_EQ(count.load(), 1);
}

TEST(ParallelFor, NothingToDo) {
  ParallelFor(0, 1, [](int64_t, int64_t) { EXPECT_TRUE(false); });
}

TEST(ParallelFor, NestsAndRunsOnSeveralThreads) {
  std::atomic<int64_t> sum{0};
  const auto add = [&sum] {
    ParallelFor(100, 1, [&sum](int64_t begin, int64_t end) {
      ParallelFor(end - begin, 1, [&sum](int64_t from, int64_t to) { sum += to - from; });
    });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(add);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), 400);
}

TEST(ParallelFor, ThrowsWhatABodyThrew) {
  int caught = 0;
  try {
    ParallelFor(1000, 1, [](int64_t, int64_t) { throw std::bad_alloc(); });
  } catch (const std::bad_alloc&) {
    ++caught;
  }
  EXPECT_EQ(caught, 1);
}

TEST(ParallelFor, WorksWhereNoThreadCanBeStarted) {
  if (!testing::kCanLimitMemory) SKIP_TEST("a sanitiser maps more than any limit");
  EXPECT_EQ(testing::StatusOfChild([] {
    const rlimit none{0, 0};
    const rlimit little{size_t{1} << 28, size_t{1} << 28};
    setrlimit(RLIMIT_NPROC, &none);  // not for root, but a stack needs memory as well
    setrlimit(RLIMIT_STACK, &little);
    setrlimit(RLIMIT_AS, &little);
    SetMaxThreads(64);
    std::atomic<int64_t> total{0};
    ParallelFor(1000, 1, [&total](int64_t begin, int64_t end) { total += end - begin; });
    if (total != 1000) _exit(2);
  }), 0);
}

TEST(ParallelFor, WorksInTheChildOfAFork) {
  const auto sum = [] {
    std::atomic<int64_t> total{0};
    ParallelFor(1000, 1, [&total](int64_t begin, int64_t end) { total += end - begin; });
    return total.load();
  };
  EXPECT_EQ(sum(), 1000);
  EXPECT_EQ(testing::StatusOfChild([&] {
    if (sum() != 1000) _exit(2);
  }), 0);
  EXPECT_EQ(sum(), 1000);
}

TEST(IntraOpTeam, LeavesTheThreadsOfOtherLoops) {
  omp_set_num_threads(7);
  { const IntraOpTeam team; }
  ParallelFor(1000, 1, [](int64_t, int64_t) {});
  EXPECT_EQ(omp_get_max_threads(), 7);
}

TEST(IntraOpTeam, OneTeamAtATime) {
  IntraOpTeam team;
  int other = 0;
  std::thread([&other] { other = IntraOpTeam().size(); }).join();
  EXPECT_EQ(other, 1);
}

}  // namespace
}  // namespace tfbuild
