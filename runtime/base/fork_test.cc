// How work bears a fork is tested where there is work.
#include "base/fork.h"

#include <unistd.h>

#include <atomic>
#include <thread>

#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

using std::chrono::milliseconds;

// Exits with 1, from a child, unless it holds.
void Require(bool holds) {
  if (!holds) _exit(1);
}

// A thread that works under a guard until it is cancelled.
class Worker {
 public:
  Worker() : thread_([this] { Work(); }) {
    while (!begun_) std::this_thread::yield();
  }
  ~Worker() { thread_.join(); }

 private:
  void Work() {
    const ForkGuard guard;
    begun_ = true;
    while (!cancelled_) std::this_thread::yield();
  }
  std::atomic<bool> begun_{false};
  std::atomic<bool> cancelled_{false};
  const CancelledByEnd cancel_{[this] { cancelled_ = true; }};
  std::thread thread_;
};

TEST(EndWork, CancelsWhatRunsAndWaitsForIt) {
  EXPECT_EQ(StatusOfChild([] {
    const Worker worker;
    Require(EndWork(milliseconds(20000)));
  }), 0);
}

TEST(EndWork, LetsNobodyBeginButWhoEndsIt) {
  EXPECT_EQ(StatusOfChild([] {
    Require(EndWork(milliseconds(0)));
    static std::atomic<bool> there{false}, began{false};
    std::thread([] {
      there = true;
      const ForkGuard guard;
      began = true;
    }).detach();
    while (!there) std::this_thread::yield();
    {
      const ForkGuard guard;
      const ForkAllowed allowed;
    }
    std::this_thread::sleep_for(milliseconds(20));
    Require(!began);
  }), 0);
}

TEST(EndWork, SaysSoWhereWorkDoesNotLetGo) {
  EXPECT_EQ(StatusOfChild([] {
    static std::atomic<bool> begun{false};
    std::thread([] {
      const ForkGuard guard;
      begun = true;
      while (true) pause();
    }).detach();
    while (!begun) std::this_thread::yield();
    Require(!EndWork(milliseconds(20)));
  }), 0);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
