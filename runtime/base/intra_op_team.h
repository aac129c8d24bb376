#pragma once

#include <omp.h>

#include <mutex>

namespace tfbuild {

// Holds the one OpenMP team of the process, which oneDNN computes with, while it lives. A kernel on
// another executor thread that meets a taken team runs on its own thread alone, because two teams on
// one set of cores spin against each other. Our own loops have other threads (loop_helpers.h): at
// the end of an OpenMP loop each thread is waited for, even one that has not begun.
class IntraOpTeam {
 public:
  IntraOpTeam() : lock_(Mutex(), std::try_to_lock), size_(lock_.owns_lock() ? UsableThreads() : 1) {
    omp_set_num_threads(size_);
  }
  ~IntraOpTeam() { omp_set_num_threads(before_); }
  IntraOpTeam(const IntraOpTeam&) = delete;
  IntraOpTeam& operator=(const IntraOpTeam&) = delete;
  // The team for that many multiplications: without enough of them to pay for waking threads up
  // and waiting for the last, this thread alone, and the team stays free for others.
  explicit IntraOpTeam(double multiplications)
      : lock_(Mutex(), std::defer_lock),
        size_(multiplications >= kWorthTeam && lock_.try_lock() ? UsableThreads() : 1) {
    omp_set_num_threads(size_);
  }
  int size() const { return size_; }

  // Ends the threads of this thread's team. Teams start again when they are next asked for.
  static void End();
  // About 50 microseconds of one thread, and as much as waking another one costs.
  static constexpr double kWorthTeam = 1 << 22;

 private:
  // MaxThreads, or fewer where the system refuses to start so many: OpenMP would end the process.
  static int UsableThreads();

  // Recursive, since a kernel that holds the team may ask for it again.
  static std::recursive_mutex& Mutex();
  // What OpenMP gives other loops of this thread, which belongs to the program around us.
  int before_ = omp_get_max_threads();
  std::unique_lock<std::recursive_mutex> lock_;
  int size_;
};

}  // namespace tfbuild
