#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

namespace tfbuild {

// Holds the one OpenMP team of the process while it lives. Parallelism inside a kernel (ours and
// oneDNN's) runs on that team; a kernel on another executor thread that meets a taken team runs on
// its own thread alone, because two teams on one set of cores spin against each other.
class IntraOpTeam {
 public:
  IntraOpTeam() : lock_(Mutex(), std::try_to_lock), size_(lock_.owns_lock() ? UsableThreads() : 1) {
    omp_set_num_threads(size_);
  }
  // The team for that many multiplications: without enough of them to pay for waking threads up
  // and waiting for the last, this thread alone, and the team stays free for others.
  explicit IntraOpTeam(double multiplications)
      : lock_(Mutex(), std::defer_lock),
        size_(multiplications >= kWorthTeam && lock_.try_lock() ? UsableThreads() : 1) {
    omp_set_num_threads(size_);
  }
  int size() const { return size_; }

  // Threads of the team: OMP_NUM_THREADS, or the cores this process may use.
  static int MaxThreads();
  // Sets what MaxThreads answers from now on; 0 restores the default.
  static void SetMaxThreads(int threads);
  // Ends the threads of this thread's team. Teams start again when they are next asked for.
  static void End();

 private:
  // MaxThreads, or fewer where the system refuses to start so many: OpenMP would end the process.
  static int UsableThreads();
  // About 50 microseconds of one thread.
  static constexpr double kWorthTeam = 1 << 21;

  // Recursive, since a kernel that holds the team may call ParallelFor.
  static std::recursive_mutex& Mutex();
  std::unique_lock<std::recursive_mutex> lock_;
  int size_;
};

// Calls body(begin, end) for consecutive pieces of [0, count), on the team when there is enough
// work: `grain` is the number of iterations below which a piece is not worth a thread. What a body
// throws is thrown here, once all have ended.
template <typename Body>
void ParallelFor(int64_t count, int64_t grain, const Body& body) {
  const int64_t wanted = count / std::max<int64_t>(grain, 1);
  if (wanted <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  IntraOpTeam team;
  const int threads = static_cast<int>(std::min<int64_t>(wanted, team.size()));
  if (threads == 1) return body(int64_t{0}, count);
  std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
  {
    const int64_t parts = omp_get_num_threads();
    const int64_t part = omp_get_thread_num();
    const int64_t begin = count * part / parts;
    const int64_t end = count * (part + 1) / parts;
    try {
      if (begin < end) body(begin, end);
    } catch (...) {
#pragma omp critical(tfbuild_parallel_for)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tfbuild
