#include "base/fork.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

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

}  // namespace

struct ForkHandlers {
  // Before: work ends, and so do the threads of this thread's OpenMP team, which the child would
  // wait for without end. The next parallel region starts them again, here and there.
  static void Prepare() {
    WorkMutex().lock();
    TheRenewals().mutex->lock();
    IntraOpTeam::End();
  }
  static void InParent() {
    TheRenewals().mutex->unlock();
    WorkMutex().unlock();
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

}  // namespace

ForkGuard::ForkGuard() : outer_guarded_(guarded), outer_allowances_(allowances) {
  WorkMutex().lock_shared();
  guarded = true;
  allowances = 0;
}
ForkGuard::~ForkGuard() {
  guarded = outer_guarded_;
  allowances = outer_allowances_;
  WorkMutex().unlock_shared();
}

ForkAllowed::ForkAllowed() {
  if (allowances++ == 0 && guarded) WorkMutex().unlock_shared();
}
ForkAllowed::~ForkAllowed() {
  if (--allowances == 0 && guarded) WorkMutex().lock_shared();
}

RenewedByFork::RenewedByFork(std::function<void()> renew) : renew_(std::move(renew)) {
  std::lock_guard<std::mutex> lock(*TheRenewals().mutex);
  TheRenewals().all.push_back(this);
}

RenewedByFork::~RenewedByFork() {
  std::lock_guard<std::mutex> lock(*TheRenewals().mutex);
  auto& all = TheRenewals().all;
  all.erase(std::find(all.begin(), all.end(), this));
}

}  // namespace tfbuild
