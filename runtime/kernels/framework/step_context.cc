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

int64_t StepContext::Keep(std::shared_ptr<StepResource> resource) {
  std::lock_guard<std::mutex> lock(mutex_);
  resources_.emplace(next_handle_, std::move(resource));
  return next_handle_++;
}

std::shared_ptr<StepResource> StepContext::Lookup(int64_t handle) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = resources_.find(handle);
  return found == resources_.end() ? nullptr : found->second;
}

void StepContext::Drop(int64_t handle) {
  std::lock_guard<std::mutex> lock(mutex_);
  resources_.erase(handle);
}

}  // namespace tfbuild
