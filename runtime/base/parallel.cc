#include "base/parallel.h"

#include <atomic>
#include <condition_variable>
#include <system_error>
#include <thread>
#include <vector>

namespace tfbuild {
namespace {

std::atomic<int> requested_threads{0};

// Read when the library is loaded: later a thread may have set its own number.
const int default_threads = std::max(1, omp_get_max_threads());

// Whether that many threads can be there at once.
bool CanStart(int count) {
  std::mutex mutex;
  std::condition_variable wake;
  bool all_started = false;
  std::vector<std::thread> threads;
  bool started = true;
  try {
    threads.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      threads.emplace_back([&] {
        std::unique_lock<std::mutex> lock(mutex);
        wake.wait(lock, [&] { return all_started; });
      });
    }
  } catch (const std::system_error&) {
    started = false;
  } catch (const std::bad_alloc&) {
    started = false;
  }
  {
    std::lock_guard<std::mutex> lock(mutex);
    all_started = true;
  }
  wake.notify_all();
  for (std::thread& thread : threads) thread.join();
  return started;
}

}  // namespace

int IntraOpTeam::UsableThreads() {
  // OpenMP keeps a team for each thread that asks, and its threads until that one ends.
  thread_local int started = 1;
  const int wanted = MaxThreads();
  if (wanted > started) {
    if (!CanStart(wanted - 1)) return started;
    started = wanted;
  }
  return wanted;
}

int IntraOpTeam::MaxThreads() {
  const int requested = requested_threads.load(std::memory_order_relaxed);
  return requested > 0 ? requested : default_threads;
}

void IntraOpTeam::SetMaxThreads(int threads) {
  requested_threads.store(threads, std::memory_order_relaxed);
}

std::recursive_mutex& IntraOpTeam::Mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace tfbuild
