#include "base/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/helper_guard.h"
#include "base/intra_op_team.h"

namespace tfbuild {
namespace {

// Never destroyed: threads may outlive main.
std::shared_mutex*& TheWorkMutex() {
  static auto* mutex = new std::shared_mutex;
  return mutex;
}
std::shared_mutex& WorkMutex() { return *TheWorkMutex(); }

struct Renewals {
  std::mutex* mutex = new std::mutex;
  std::vector<RenewedByFork*> all;
};
Renewals& TheRenewals() {
  static auto* renewals = new Renewals;
  return *renewals;
}

struct Cancellations {
  std::mutex mutex;
  std::vector<CancelledByEnd*> all;
};
Cancellations& TheCancellations() {
  static auto* cancellations = new Cancellations;
  return *cancellations;
}

std::atomic<bool> work_ended{false};
// Of the thread that ends the process: it may still need some, and has it to itself.
thread_local bool ends_here = false;

}  // namespace

struct ForkHandlers {
  // Before: work ends, and so do the threads of this thread's OpenMP team, which the child would
  // wait for without end. The next parallel region starts them again, here and there.
  static void Prepare() {
    if (!ends_here) WorkMutex().lock();
    TheRenewals().mutex->lock();
    IntraOpTeam::End();
  }
  static void InParent() {
    TheRenewals().mutex->unlock();
    if (!ends_here) WorkMutex().unlock();
  }
  // Others take the place of the locks: the thread that holds them has another number here.
  static void InChild() {
    TheWorkMutex() = new std::shared_mutex;
    TheRenewals().mutex = new std::mutex;
    for (const RenewedByFork* renewed : TheRenewals().all) renewed->renew_();
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

void BeginShared() {
  while (work_ended.load(std::memory_order_acquire) && !ends_here) pause();
  if (!ends_here) WorkMutex().lock_shared();
}
void EndShared() {
  if (!ends_here) WorkMutex().unlock_shared();
}

}  // namespace

ForkGuard::ForkGuard() : outer_guarded_(guarded), outer_allowances_(allowances) {
  BeginShared();
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

HelperGuard::HelperGuard() { WorkMutex().lock_shared(); }
HelperGuard::~HelperGuard() { WorkMutex().unlock_shared(); }

RenewedByFork::RenewedByFork(std::function<void()> renew) : renew_(std::move(renew)) {
  std::lock_guard<std::mutex> lock(*TheRenewals().mutex);
  TheRenewals().all.push_back(this);
}

RenewedByFork::~RenewedByFork() {
  std::lock_guard<std::mutex> lock(*TheRenewals().mutex);
  auto& all = TheRenewals().all;
  all.erase(std::find(all.begin(), all.end(), this));
}

CancelledByEnd::CancelledByEnd(std::function<void()> cancel) : cancel_(std::move(cancel)) {
  std::lock_guard<std::mutex> lock(TheCancellations().mutex);
  TheCancellations().all.push_back(this);
}

CancelledByEnd::~CancelledByEnd() {
  std::lock_guard<std::mutex> lock(TheCancellations().mutex);
  auto& all = TheCancellations().all;
  all.erase(std::find(all.begin(), all.end(), this));
}

bool EndWork(std::chrono::milliseconds limit) {
  constexpr std::chrono::milliseconds kLook{1};
  const auto end = std::chrono::steady_clock::now() + limit;
  ends_here = true;
  work_ended.store(true, std::memory_order_release);
  while (!WorkMutex().try_lock()) {
    if (std::chrono::steady_clock::now() > end) return false;
    {
      // Each time: a step that has its guard is among those that run a moment later.
      std::lock_guard<std::mutex> lock(TheCancellations().mutex);
      for (const CancelledByEnd* each : TheCancellations().all) each->cancel_();
    }
    std::this_thread::sleep_for(kLook);
  }
  return true;  // and it stays locked
}

}  // namespace tfbuild
