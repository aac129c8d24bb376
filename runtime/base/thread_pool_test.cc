#include "base/thread_pool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(ThreadPool, DestructorRunsWhatIsQueued) {
  std::atomic<int> count{0};
  {
    ThreadPool pool(3);
    for (int i = 0; i < 1000; ++i) pool.Schedule([&count] { ++count; });
  }
  EXPECT_EQ(count.load(), 1000);
}

TEST(ThreadPool, TasksMaySchedule) {
  std::atomic<int> count{0};
  {
    ThreadPool pool(2);
    pool.Schedule([&] { pool.Schedule([&count] { ++count; }); });
  }
  EXPECT_EQ(count.load(), 1);
}

TEST(ThreadPool, WorksInTheChildOfAFork) {
  ThreadPool pool(2);
  const auto count_to_ten = [&pool] {
    std::mutex mutex;
    std::condition_variable done;
    int count = 0;
    for (int i = 0; i < 10; ++i) {
      pool.Schedule([&] {
        std::lock_guard<std::mutex> lock(mutex);
        if (++count == 10) done.notify_all();
      });
    }
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [&count] { return count == 10; });
  };
  count_to_ten();
  EXPECT_EQ(testing::StatusOfChild([&] { count_to_ten(); }), 0);
  count_to_ten();
}

}  // namespace
}  // namespace tfbuild
