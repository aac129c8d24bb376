#pragma once

#include <atomic>
#include <cstdint>
#include <exception>

#include "base/stop.h"

namespace tfbuild {

// One loop whose parts several threads take, each the next one when it is done with the last.
struct SharedLoop {
  int64_t parts;
  void (*part)(const void* context, int64_t index);
  const void* context;
  Stoppable* work = StoppableHere();  // that all of its threads work for

  std::atomic<int64_t> next{0};    // the first part that nobody has taken
  std::atomic<int> inside{0};      // helpers at work
  int seats = 0;                   // helpers that may still come
  std::exception_ptr failure = nullptr;

  // Takes parts until there are none, or the work must end.
  void Work();
};

// Runs all parts on this thread and on up to `helpers` of the threads that wait for work in this
// process, as many as are to be had. They are started when they are first needed, and again in the
// child of a fork().
//
// Whoever calls works as well, and waits at the end for those helpers alone that have begun a part:
// where the processors are taken by others, it does the work itself. A helper that is done looks out
// for more work before it sleeps, unless others want its processor: about as long as to wake one
// costs, and up to four times as long where it was woken soon after it had gone to sleep. Several
// threads may call at once: helpers go to the loops in turn.
void RunLoop(SharedLoop* loop, int helpers);

// Whether this thread is in a part of a loop, or takes no helpers.
bool InLoop();

// While it lives, the loops of this thread are its own: for threads that are many at work already.
class NoHelpers {
 public:
  NoHelpers();
  ~NoHelpers();
  NoHelpers(const NoHelpers&) = delete;
  NoHelpers& operator=(const NoHelpers&) = delete;

 private:
  bool before_;
};

}  // namespace tfbuild
