#include "base/loop_helpers.h"

#include <omp.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/fork.h"
#include "base/helper_guard.h"
#include "base/reserve.h"

namespace tfbuild {
namespace {

using Clock = std::chrono::steady_clock;

// About as long as it takes to wake a thread that sleeps.
constexpr std::chrono::microseconds kLookOut{50};
// At most, where loops come often: most steps of a small network have one within that time.
constexpr std::chrono::microseconds kLongestLookOut{200};
constexpr int kLooks = 16;  // between two looks at the clock
constexpr std::chrono::microseconds kLongWait{500};
constexpr int kWaitsAlone = 20;

thread_local bool in_loop = false;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Looks whether `there` until it is, or the time is over.
template <typename Condition>
bool LookOut(const Condition& there, std::chrono::microseconds time = kLookOut) {
  const Clock::time_point end = Clock::now() + time;
  do {
    for (int i = 0; i < kLooks; ++i) {
      if (there()) return true;
      Pause();
    }
  } while (Clock::now() < end);
  return there();
}

// Time that this thread has had a processor.
std::chrono::nanoseconds ComputedByThread() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Whether somebody else wants this processor, and has had it now.
bool OthersWait() {
  const Clock::time_point start = Clock::now();
  sched_yield();
  return Clock::now() - start > kLookOut / 4;
}

// How long to look out the next time: longer where this time a little longer would have spared the
// sleep, else no longer than sleeping costs.
std::chrono::microseconds NextLookOut(std::chrono::microseconds time, Clock::duration slept) {
  return slept < kLongestLookOut ? std::min(2 * time, kLongestLookOut) : kLookOut;
}

// The threads and what they share: all that a fork() makes useless. Never destroyed, as the threads
// outlive main.
class Helpers {
 public:
  void Run(SharedLoop* loop, int helpers) {
    const Clock::time_point start = Clock::now();
    const auto computed_before = ComputedByThread();
    bool wake = false;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      // Who calls takes a processor as well, each of those that call now.
      const int seats = start < alone_until_ ? 0 : helpers - calls_;
      if (num_threads_ < seats) Start(seats, &lock);
      if (seats > 0) {
        open_.push_back(loop);
        loop->seats = seats;
        SetSeats(seats_ + seats);
        wake = sleeping_ > 0;
      }
      ++calls_;
    }
    if (wake) wake_.notify_one();
    loop->Work();
    std::unique_lock<std::mutex> lock(mutex_);
    --calls_;
    if (loop->seats > 0) Close(loop);
    const auto left = [loop] { return loop->inside.load(std::memory_order_acquire) == 0; };
    if (left()) return;
    lock.unlock();
    const Clock::time_point done = Clock::now();
    if (LookOut(left)) return;
    lock.lock();
    left_.wait(lock, left);
    NoteWait(Clock::now() - done, ComputedByThread() - computed_before);
  }

 private:
  void SetSeats(int seats) { seats_.store(seats, std::memory_order_relaxed); }

  void Close(SharedLoop* loop) {
    open_.erase(std::find(open_.begin(), open_.end(), loop));
    SetSeats(seats_ - loop->seats);
    loop->seats = 0;
  }

  // A helper that takes longer for its part than this thread for all others has lost its processor
  // to another program. Asking for none for a while limits to a few percent what that costs.
  void NoteWait(Clock::duration waited, Clock::duration computed) {
    if (waited < kLongWait || waited < computed) return;
    alone_until_ = Clock::now() + kWaitsAlone * waited;
  }

  // Answers when all are there that will be.
  void Start(int wanted, std::unique_lock<std::mutex>* lock) {
    if (starting_ || wanted <= refused_) return;
    starting_ = true;
    const int count = ThreadsBesideReserve(wanted - num_threads_);
    int started = 0;
    try {
      for (; started < count; ++started) std::thread([this] { Help(); }).detach();
    } catch (const std::system_error&) {
      // A limit on processes or memory: those that there are do the work.
    }
    const int expected = num_threads_ + started;
    if (expected < wanted) refused_ = wanted;  // not tried again and again
    started_.wait(*lock, [&] { return num_threads_ == expected; });
    starting_ = false;
  }

  void Help() {
    MapThreadMemory();
    omp_set_num_threads(1);  // what runs on this thread has the others for more
    in_loop = true;
    std::chrono::microseconds look_out = kLookOut;
    std::unique_lock<std::mutex> lock(mutex_);
    ++num_threads_;
    started_.notify_all();
    while (true) {
      SharedLoop* loop = TakeSeat();
      if (loop == nullptr) {
        lock.unlock();
        const auto wanted = [this] { return seats_.load(std::memory_order_relaxed) > 0; };
        const bool found = !OthersWait() && LookOut(wanted, look_out);
        lock.lock();
        if (found) continue;
        const Clock::time_point asleep = Clock::now();
        ++sleeping_;
        wake_.wait(lock, wanted);
        --sleeping_;
        look_out = NextLookOut(look_out, Clock::now() - asleep);
        continue;
      }
      // Each wakes the next one, so that nobody has to wake all.
      const bool wake = seats_.load(std::memory_order_relaxed) > 0 && sleeping_ > 0;
      lock.unlock();
      if (wake) wake_.notify_one();
      {
        const HelperGuard guard;  // the caller gives up its own while it looks for signals
        loop->Work();
      }
      lock.lock();
      if (loop->seats > 0) Close(loop);  // nothing is left of it
      // From here on the loop may be gone.
      if (loop->inside.fetch_sub(1, std::memory_order_release) == 1) left_.notify_all();
    }
  }

  // A seat of the loops that have one, in turn; null where nobody has.
  SharedLoop* TakeSeat() {
    if (open_.empty()) return nullptr;
    turn_ = (turn_ + 1) % open_.size();
    SharedLoop* loop = open_[turn_];
    loop->inside.fetch_add(1, std::memory_order_relaxed);
    SetSeats(seats_ - 1);
    if (--loop->seats == 0) open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(turn_));
    return loop;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable left_;
  std::condition_variable started_;
  std::vector<SharedLoop*> open_;  // loops with seats
  std::atomic<int> seats_{0};      // of all of them
  size_t turn_ = 0;
  int calls_ = 0;  // of Run, at work
  Clock::time_point alone_until_;  // no helpers are asked for
  int sleeping_ = 0;
  int num_threads_ = 0;
  bool starting_ = false;
  int refused_ = 0;  // so many threads could not be started
};

Helpers*& TheHelpers() {
  static Helpers* helpers = new Helpers;
  // The threads do not exist in the child and can be neither joined nor destroyed.
  static const RenewedByFork* renewed = new RenewedByFork([] { helpers = new Helpers; });
  static_cast<void>(renewed);
  return helpers;
}

}  // namespace

void SharedLoop::Work() {
  const bool before = in_loop;
  in_loop = true;
  try {
    const StopScope scope(work);
    for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < parts;) {
      ThrowIfStopped();
      part(context, i);
    }
  } catch (...) {
    next.store(parts, std::memory_order_relaxed);
    static std::mutex mutex;
    std::lock_guard<std::mutex> lock(mutex);
    failure = std::current_exception();
  }
  in_loop = before;
}

bool InLoop() { return in_loop; }

NoHelpers::NoHelpers() : before_(in_loop) { in_loop = true; }
NoHelpers::~NoHelpers() { in_loop = before_; }

void RunLoop(SharedLoop* loop, int helpers) { TheHelpers()->Run(loop, helpers); }

}  // namespace tfbuild
