#include "base/loop_helpers.h"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

// A loop of that body; called again and again, since helpers come when they can.
template <typename Body>
void Run(int64_t parts, int helpers, const Body& body) {
  SharedLoop loop{parts,
                  [](const void* raw, int64_t index) { (*static_cast<const Body*>(raw))(index); },
                  &body};
  RunLoop(&loop, helpers);
}

// Comes back when so many threads have been at work in one loop.
void Meet(size_t count) {
  std::set<std::thread::id> met;
  while (met.size() < count) {
    met.clear();
    std::mutex mutex;
    Run(100, static_cast<int>(count) - 1, [&](int64_t) {
      std::this_thread::yield();
      std::lock_guard<std::mutex> lock(mutex);
      met.insert(std::this_thread::get_id());
    });
  }
  EXPECT_EQ(met.size(), count);
}

TEST(LoopHelpers, AreNotCalledByAThreadWithoutThem) {
  const NoHelpers alone;
  EXPECT_TRUE(InLoop());
  std::set<std::thread::id> met;
  const auto part = [](const void* raw, int64_t) {
    (*static_cast<std::set<std::thread::id>* const*>(raw))->insert(std::this_thread::get_id());
  };
  std::set<std::thread::id>* const seen = &met;
  SetMaxThreads(4);
  RunParts(100, part, &seen);
  SetMaxThreads(0);
  EXPECT_EQ(met.size(), size_t{1});
  {
    const NoHelpers within;
  }
  EXPECT_TRUE(InLoop());
}

TEST(LoopHelpers, AreAsManyAsAreAskedFor) {
  for (const size_t count : {2, 5, 3}) Meet(count);
}

TEST(LoopHelpers, AreStartedAgainInTheChildOfAFork) {
  Meet(3);
  EXPECT_EQ(testing::StatusOfChild([] { Meet(3); }), 0);
  Meet(3);
}

TEST(LoopHelpers, NobodyWaitsForOneThatHasNotBegun) {
  // The helper is in a part that ends only when the second loop has been done without it.
  std::atomic<bool> inside{false};
  std::atomic<bool> done{false};
  std::thread caller([&] {
    const std::thread::id own = std::this_thread::get_id();
    while (!inside) {
      Run(100, 1, [&](int64_t) {
        std::this_thread::yield();
        if (std::this_thread::get_id() == own) return;
        inside = true;
        while (!done) std::this_thread::yield();
      });
    }
  });
  while (!inside) std::this_thread::yield();
  std::atomic<int> sum{0};
  Run(100, 2, [&sum](int64_t) { ++sum; });
  EXPECT_EQ(sum.load(), 100);
  done = true;
  caller.join();
}

TEST(LoopHelpers, TakeEachPartOnceWhenManyCall) {
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&sum] {
      for (int k = 0; k < 500; ++k) Run(7, 3, [&sum](int64_t index) { sum += index; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), int64_t{8} * 500 * 21);
}

}  // namespace
}  // namespace tfbuild
