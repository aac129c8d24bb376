#pragma once

#include <exception>
#include <utility>

#include "base/status.h"

namespace tfbuild {

// What work is done for, and may have to end before the work is done.
class Stoppable {
 public:
  // Why the work must end now; ok while it may go on. Any thread that works for it may ask.
  virtual Status Check() = 0;

 protected:
  ~Stoppable() = default;
};

// Thrown where work must end: StatusOfException knows the reason.
class Stopped : public std::exception {
 public:
  explicit Stopped(Status why) : why_(std::move(why)) {}
  const Status& why() const { return why_; }
  const char* what() const noexcept override { return "the work was stopped"; }

 private:
  Status why_;
};

// While it lives, this thread works for `work`; for nobody, so that nothing stops it, where that is
// null: whoever changes in place what outlives the step must not leave it half done. Scopes of a
// thread end in the reverse order of their beginning.
class StopScope {
 public:
  explicit StopScope(Stoppable* work);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Stoppable* const before_;
};

// What this thread works for, if anything.
Stoppable* StoppableHere();

// Throws Stopped where the work of this thread must end. Called by loops that may take long, about
// once in what takes 10 microseconds or more: it reads the clock where there is a deadline.
void ThrowIfStopped();

}  // namespace tfbuild
