#include "base/parallel.h"

#include <omp.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "base/cpu_quota.h"
#include "base/loop_helpers.h"
#include "base/stop.h"

namespace tfbuild {
namespace {

std::atomic<int> requested_threads{0};

// Read when the library is loaded: later a thread may have set its own number.
const int default_threads = [] {
  const int threads = std::max(1, omp_get_max_threads());
  return std::getenv("OMP_NUM_THREADS") == nullptr ? std::min(threads, CpusOfQuota()) : threads;
}();

}  // namespace

int MaxThreads() {
  const int requested = requested_threads.load(std::memory_order_relaxed);
  return requested > 0 ? requested : default_threads;
}

void SetMaxThreads(int threads) {
  requested_threads.store(threads, std::memory_order_relaxed);
}

void RunParts(int64_t parts, void (*part)(const void* context, int64_t index),
              const void* context) {
  const int helpers = static_cast<int>(std::min<int64_t>(parts, MaxThreads())) - 1;
  if (helpers <= 0 || InLoop()) {
    for (int64_t i = 0; i < parts; ++i) {
      ThrowIfStopped();
      part(context, i);
    }
    return;
  }
  SharedLoop loop{parts, part, context};
  RunLoop(&loop, helpers);
  if (loop.failure) std::rethrow_exception(loop.failure);
}

}  // namespace tfbuild
