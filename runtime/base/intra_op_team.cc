#include "base/intra_op_team.h"

#include <atomic>
#include <condition_variable>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "base/reserve.h"

namespace tfbuild {
namespace {

// How often the teams of all threads have been ended.
std::atomic<int> ends{0};

// Threads that wait for each other, each with memory of its own as malloc gives it to a thread.
class TrialThreads {
 public:
  // Starts at most that many, and waits until they are there.
  explicit TrialThreads(int count) {
    try {
      threads_.reserve(static_cast<size_t>(count));
      for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Wait(); });
    } catch (const std::system_error&) {
    } catch (const std::bad_alloc&) {
    }
    std::unique_lock<std::mutex> lock(mutex_);
    wake_.wait(lock, [this] { return waiting_ == threads_.size(); });
  }
  ~TrialThreads() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  int count() const { return static_cast<int>(threads_.size()); }

 private:
  void Wait() {
    MapThreadMemory();
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    wake_.notify_all();
    wake_.wait(lock, [this] { return over_; });
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  size_t waiting_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

// Whether that many threads can be there at once, with the reserve beside them.
bool CanStart(int count) {
  if (ThreadsBesideReserve(count) < count) return false;
  const TrialThreads threads(count);
  return threads.count() == count && HasReserve();
}

}  // namespace

int IntraOpTeam::UsableThreads() {
  // OpenMP keeps a team for each thread that asks, and its threads until that one ends.
  thread_local int started = 1;
  thread_local int ends_seen = 0;
  const int wanted = MaxThreads();
  const int ends_now = ends.load(std::memory_order_relaxed);
  if (ends_now != ends_seen) started = 1;
  ends_seen = ends_now;
  if (wanted > started) {
    if (!CanStart(wanted - 1)) return started;
    ReserveThreads(wanted - 1);
    started = wanted;
    std::atomic<int> there{0};
#pragma omp parallel num_threads(wanted)
    ++there;
  }
  return wanted;
}

void IntraOpTeam::End() {
  omp_pause_resource_all(omp_pause_soft);
  ends.fetch_add(1, std::memory_order_relaxed);
}

std::recursive_mutex& IntraOpTeam::Mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace tfbuild
