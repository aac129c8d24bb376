#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>

#include "base/status.h"

namespace tfbuild {

// Work that fork() by another thread waits for: a child has the memory but only the thread that
// forked, so a lock that another thread held would stay held and its values half written. Held for
// a step by whoever runs it; must not be taken twice by one thread, nor under a lock that others take
// under theirs: it waits while somebody forks.
//
// A fork waits for kLongestForkWait at most, as work may have no end, or wait for what the forking
// thread has (the GIL). Its child then runs no step: CheckForked says so.
class ForkGuard {
 public:
  ForkGuard();
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

 private:
  // Of the guard around this one: what a guarded thread calls may give that up and hold its own.
  const bool outer_guarded_;
  const int outer_allowances_;
};

// Gives a guard of this thread up while it lives: for calling what may fork().
class ForkAllowed {
 public:
  ForkAllowed();
  ~ForkAllowed();
  ForkAllowed(const ForkAllowed&) = delete;
  ForkAllowed& operator=(const ForkAllowed&) = delete;
};

constexpr std::chrono::seconds kLongestForkWait{10};

// Whether a thread waits in fork() for guarded work.
extern std::atomic<bool> fork_waits;
// Lets it go on, where one waits, and goes on behind it. For threads under a guard that have nothing
// half done and no lock.
inline void LetFork() {
  if (fork_waits.load(std::memory_order_relaxed)) const ForkAllowed allowed;
}

// FailedPrecondition in a process that was forked among work which had not ended: what that work held
// locked stays so here.
Status CheckForked();

// Has each fork() take this lock for its own while it lives, as work may have it that a fork does not
// wait for. Who holds it waits for nobody.
class LockedByFork {
 public:
  explicit LockedByFork(std::mutex* mutex);
  ~LockedByFork();
  LockedByFork(const LockedByFork&) = delete;
  LockedByFork& operator=(const LockedByFork&) = delete;

 private:
  friend struct ForkHandlers;
  std::mutex* const mutex_;
};

// Calls `renew` in the child of each fork() while it lives, for what loses its threads there.
class RenewedByFork {
 public:
  explicit RenewedByFork(std::function<void()> renew);
  ~RenewedByFork();
  RenewedByFork(const RenewedByFork&) = delete;
  RenewedByFork& operator=(const RenewedByFork&) = delete;

 private:
  friend struct ForkHandlers;
  std::function<void()> renew_;
};

// Calls `cancel` when the process ends while it lives, for what runs long under a guard.
class CancelledByEnd {
 public:
  explicit CancelledByEnd(std::function<void()> cancel);
  ~CancelledByEnd();
  CancelledByEnd(const CancelledByEnd&) = delete;
  CancelledByEnd& operator=(const CancelledByEnd&) = delete;

 private:
  friend bool EndWork(std::chrono::milliseconds limit);
  std::function<void()> cancel_;
};

// Ends guarded work for good: cancels what runs and waits for it, at most so long; other threads that
// begin some stay there. Called as the process ends, before any library's objects are destroyed, as
// libraries that work calls do not bear to be destroyed under it. Whether all work has ended.
bool EndWork(std::chrono::milliseconds limit);

}  // namespace tfbuild
