#pragma once

#include <algorithm>
#include <cstdint>

namespace tfbuild {

// Threads of a loop, this one included: OMP_NUM_THREADS, or the cores this process may use, by its
// affinity and by the quota of its control groups.
int MaxThreads();
// Sets what MaxThreads answers from now on; 0 restores the default.
void SetMaxThreads(int threads);

// Calls part(context, 0), part(context, 1), ... part(context, parts - 1), on this thread and on
// those that help it (loop_helpers.h); within a part, on this thread alone. A thread takes the next
// part when it is done with one, so that a thread that the system has put aside holds up one part
// and not its share. What a part throws is thrown here, once all that have begun have ended; so is
// Stopped, between two parts, where the work of this thread must end (stop.h).
void RunParts(int64_t parts, void (*part)(const void* context, int64_t index),
              const void* context);

// Calls body(begin, end) for consecutive pieces of [0, count), as RunParts does, on this thread
// alone where there is little work: `grain` is the number of iterations below which a piece is not
// worth a thread.
template <typename Body>
void ParallelFor(int64_t count, int64_t grain, const Body& body) {
  constexpr int64_t kPiecesOfThread = 4;
  constexpr int64_t kGrainsOfPiece = 64;  // at most, so that a long loop can be stopped
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
  const Pieces pieces{&body, count,
                      std::min(wanted, std::max(kPiecesOfThread * MaxThreads(),
                                                wanted / kGrainsOfPiece))};
  RunParts(
      pieces.parts,
      [](const void* context, int64_t index) {
        const Pieces& all = *static_cast<const Pieces*>(context);
        (*all.body)(all.count * index / all.parts, all.count * (index + 1) / all.parts);
      },
      &pieces);
}

}  // namespace tfbuild
