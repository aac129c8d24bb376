#include "kernels/framework/step_context.h"

#include <utility>

namespace tfbuild {

Status Cancellation::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

void Cancellation::Cancel(const Status& why) {
  std::map<int64_t, std::function<void()>> wakers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (cancelled()) return;
    status_ = why;
    cancelled_.store(true, std::memory_order_release);
    wakers.swap(wakers_);
  }
  for (const auto& [token, wake] : wakers) wake();
}

bool Cancellation::Register(int64_t* token, std::function<void()> wake) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (cancelled()) return false;
  *token = next_token_++;
  wakers_.emplace(*token, std::move(wake));
  return true;
}

void Cancellation::Deregister(int64_t token) {
  std::lock_guard<std::mutex> lock(mutex_);
  wakers_.erase(token);
}

Status StepContext::Check() {
  if (deadline && !cancellation.cancelled() && Clock::now() >= *deadline) {
    Fail(Status(Code::kDeadlineExceeded, kDeadlineExceeded));
  }
  if (IsWatchedHere() && !cancellation.cancelled() && Clock::now() >= watch->Next()) {
    const Status seen = watch->look();
    if (!seen.ok()) Fail(seen);
    watch->next = Clock::now() + StepWatch::kPeriod;
  }
  return cancellation.cancelled() ? cancellation.status() : OkStatus();
}

std::optional<StepContext::Clock::time_point> StepContext::NextCheck() const {
  if (cancellation.cancelled()) return std::nullopt;
  std::optional<Clock::time_point> next = deadline;
  if (IsWatchedHere() && (!next || watch->Next() < *next)) next = watch->Next();
  return next;
}

}  // namespace tfbuild
