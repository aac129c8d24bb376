#include "base/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/helper_guard.h"
#include "base/intra_op_team.h"

namespace tfbuild {
namespace {

// Objects that live now.
template <typename T>
struct Objects {
  std::mutex mutex;
  std::vector<T*> all;

  void Add(T* object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.push_back(object);
  }
  void Remove(T* object) {
    std::lock_guard<std::mutex> lock(mutex);
    all.erase(std::find(all.begin(), all.end(), object));
  }
};

// All that threads share here. Never destroyed, as threads may outlive main, and another one in the
// child of a fork: the thread that holds the locks has another number there.
struct ForkState {
  std::shared_timed_mutex work;  // shared by guards
  std::mutex forking;            // of whoever forks
  Objects<RenewedByFork> renewed;
  Objects<LockedByFork> locked;
  Objects<CancelledByEnd> cancelled;
};
ForkState*& TheState() {
  static auto* state = new ForkState;
  return state;
}

std::atomic<bool> work_ended{false};
// Of the thread that ends the process: it may still need some, and has it to itself.
thread_local bool ends_here = false;
// Of the thread that forks: whether all work had ended.
thread_local bool work_locked = false;
bool forked_amid_work = false;  // of this process; written where it has one thread

}  // namespace

std::atomic<bool> fork_waits{false};

struct ForkHandlers {
  // Before: work ends, and so do the threads of this thread's OpenMP team, which the child would
  // wait for without end. The next parallel region starts them again, here and there.
  static void Prepare() {
    ForkState* const state = TheState();
    state->forking.lock();
    fork_waits.store(true);
    work_locked = !ends_here && state->work.try_lock_for(kLongestForkWait);
    state->cancelled.mutex.lock();
    state->renewed.mutex.lock();
    state->locked.mutex.lock();
    for (const LockedByFork* each : state->locked.all) each->mutex_->lock();
    IntraOpTeam::End();
  }
  static void InParent() {
    ForkState* const state = TheState();
    for (const LockedByFork* each : state->locked.all) each->mutex_->unlock();
    state->locked.mutex.unlock();
    state->renewed.mutex.unlock();
    state->cancelled.mutex.unlock();
    if (work_locked) state->work.unlock();
    fork_waits.store(false);
    state->forking.unlock();
  }
  static void InChild() {
    ForkState* const before = TheState();
    for (const LockedByFork* each : before->locked.all) each->mutex_->unlock();
    TheState() = new ForkState;
    TheState()->renewed.all = before->renewed.all;
    TheState()->locked.all = before->locked.all;
    TheState()->cancelled.all = before->cancelled.all;
    fork_waits.store(false);
    if (!work_locked && !ends_here) forked_amid_work = true;
    for (const RenewedByFork* renewed : before->renewed.all) renewed->renew_();
  }
};

namespace {

[[maybe_unused]] const int registered =
    pthread_atfork(&ForkHandlers::Prepare, &ForkHandlers::InParent, &ForkHandlers::InChild);

}  // namespace

namespace {

// Of this thread. Threads that help others, and programs without a session, hold no guard.
thread_local bool guarded = false;
thread_local int allowances = 0;

// Whoever has a share already must not wait for who wants it back.
void BeginShared(bool has_share = false) {
  while (work_ended.load(std::memory_order_acquire) && !ends_here) pause();
  if (ends_here) return;
  if (!has_share && fork_waits.load(std::memory_order_relaxed)) {
    const std::lock_guard<std::mutex> behind_it(TheState()->forking);
  }
  TheState()->work.lock_shared();
}
void EndShared() {
  if (!ends_here) TheState()->work.unlock_shared();
}

}  // namespace

ForkGuard::ForkGuard() : outer_guarded_(guarded), outer_allowances_(allowances) {
  BeginShared(outer_guarded_ && outer_allowances_ == 0);
  guarded = true;
  allowances = 0;
}
ForkGuard::~ForkGuard() {
  guarded = outer_guarded_;
  allowances = outer_allowances_;
  EndShared();
}

ForkAllowed::ForkAllowed() {
  if (allowances++ == 0 && guarded) EndShared();
}
ForkAllowed::~ForkAllowed() {
  if (--allowances == 0 && guarded) BeginShared();
}

HelperGuard::HelperGuard() { TheState()->work.lock_shared(); }
HelperGuard::~HelperGuard() { TheState()->work.unlock_shared(); }

Status CheckForked() {
  if (!forked_amid_work) return OkStatus();
  return FailedPrecondition(
      "this process was forked while another thread ran a step that did not end within ",
      kLongestForkWait.count(), " seconds, and what that step had locked stays so here: fork before "
      "such steps begin, or start processes anew (multiprocessing's 'spawn')");
}

LockedByFork::LockedByFork(std::mutex* mutex) : mutex_(mutex) {
  TheState()->locked.Add(this);
}
LockedByFork::~LockedByFork() { TheState()->locked.Remove(this); }

RenewedByFork::RenewedByFork(std::function<void()> renew) : renew_(std::move(renew)) {
  TheState()->renewed.Add(this);
}
RenewedByFork::~RenewedByFork() { TheState()->renewed.Remove(this); }

CancelledByEnd::CancelledByEnd(std::function<void()> cancel) : cancel_(std::move(cancel)) {
  TheState()->cancelled.Add(this);
}
CancelledByEnd::~CancelledByEnd() { TheState()->cancelled.Remove(this); }

bool EndWork(std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLook{1};
  const auto end = std::chrono::steady_clock::now() + limit;
  ends_here = true;
  work_ended.store(true, std::memory_order_release);
  while (!TheState()->work.try_lock()) {
    if (std::chrono::steady_clock::now() > end) return false;
    {
      // Each time: a step that has its guard is among those that run a moment later.
      Objects<CancelledByEnd>& cancelled = TheState()->cancelled;
      std::lock_guard<std::mutex> lock(cancelled.mutex);
      for (const CancelledByEnd* each : cancelled.all) each->cancel_();
    }
    std::this_thread::sleep_for(kLook);
  }
  return true;  // and it stays locked
}

}  // namespace tfbuild
