#include "base/loop_helpers.h"

#include <atomic>
#include <thread>
#include <vector>

#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

// Waits until `count` threads are in a part at once; each part then ends.
struct Meeting {
  explicit Meeting(int members) : count(members) {}
  const int count;
  mutable std::atomic<int> here{0};
  static void Part(const void* context, int64_t) {
    const auto& meeting = *static_cast<const Meeting*>(context);
    ++meeting.here;
    while (meeting.here < meeting.count) std::this_thread::yield();
  }
};

void Meet(int count) {
  const Meeting meeting(count);
  SharedLoop loop{count, &Meeting::Part, &meeting};
  RunLoop(&loop, count - 1);
  EXPECT_EQ(meeting.here.load(), count);
}

TEST(LoopHelpers, AreAsManyAsAreAskedFor) {
  for (const int count : {2, 5, 3}) Meet(count);
}

TEST(LoopHelpers, AreStartedAgainInTheChildOfAFork) {
  Meet(3);
  EXPECT_EQ(testing::StatusOfChild([] { Meet(3); }), 0);
  Meet(3);
}

TEST(LoopHelpers, NobodyWaitsForOneThatHasNotBegun) {
  // The helper is in a part that ends only when the second loop has been done without it.
  std::atomic<bool> done{false};
  std::atomic<int> inside{0};
  struct Context {
    std::atomic<bool>* done;
    std::atomic<int>* inside;
  } context{&done, &inside};
  SharedLoop blocked{2, [](const void* raw, int64_t) {
                       const auto& c = *static_cast<const Context*>(raw);
                       ++*c.inside;
                       while (!*c.done) std::this_thread::yield();
                     }, &context};
  std::thread caller([&] { RunLoop(&blocked, 1); });
  while (inside < 2) std::this_thread::yield();
  std::atomic<int> sum{0};
  SharedLoop loop{100, [](const void* raw, int64_t) {
                    ++*static_cast<std::atomic<int>*>(const_cast<void*>(raw));
                  }, &sum};
  RunLoop(&loop, 2);
  EXPECT_EQ(sum.load(), 100);
  done = true;
  caller.join();
}

TEST(LoopHelpers, TakeEachPartOnceWhenManyCall) {
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum{0};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&sum] {
      for (int k = 0; k < 500; ++k) {
        SharedLoop loop{7, [](const void* raw, int64_t index) {
                          *static_cast<std::atomic<int64_t>*>(const_cast<void*>(raw)) += index;
                        }, &sum};
        RunLoop(&loop, 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum.load(), int64_t{8} * 500 * 21);
}

}  // namespace
}  // namespace tfbuild
