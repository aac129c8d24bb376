#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
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

  // Threads of the team and of our own loops, this one included: OMP_NUM_THREADS, or the cores this
  // process may use, by its affinity and by the quota of its control groups.
  static int MaxThreads();
  // Sets what MaxThreads answers from now on; 0 restores the default.
  static void SetMaxThreads(int threads);
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

// Calls part(context, 0), part(context, 1), ... part(context, parts - 1), on this thread and on
// those that help it (loop_helpers.h); within a part, on this thread alone. A thread takes the next
// part when it is done with one, so that a thread that the system has put aside holds up one part
// and not its share. What a part throws is thrown here, once all that have begun have ended.
void RunParts(int64_t parts, void (*part)(const void* context, int64_t index),
              const void* context);

// Calls body(begin, end) for consecutive pieces of [0, count), as RunParts does, on this thread
// alone where there is little work: `grain` is the number of iterations below which a piece is not
// worth a thread.
template <typename Body>
void ParallelFor(int64_t count, int64_t grain, const Body& body) {
  constexpr int64_t kPiecesOfThread = 4;
  const int64_t wanted = count / std::max<int64_t>(grain, 1);
  if (wanted <= 1) {
    if (count > 0) body(int64_t{0}, count);
    return;
  }
  struct Pieces {
    const Body* body;
    int64_t count;
    int64_t parts;
  };
  const Pieces pieces{&body, count, std::min(wanted, kPiecesOfThread * IntraOpTeam::MaxThreads())};
  RunParts(
      pieces.parts,
      [](const void* context, int64_t index) {
        const Pieces& all = *static_cast<const Pieces*>(context);
        (*all.body)(all.count * index / all.parts, all.count * (index + 1) / all.parts);
      },
      &pieces);
}

}  // namespace tfbuild
