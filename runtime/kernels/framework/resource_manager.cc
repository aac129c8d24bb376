#include "kernels/framework/resource_manager.h"

#include <atomic>
#include <cstring>
#include <utility>

namespace tfbuild {
namespace {

int64_t NextHandle() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

int64_t ResourceManager::HandleOf(const std::string& container, const char* kind,
                                  const std::string& name) {
  std::string full = StrCat(container.empty() ? kDefaultContainer : container, "/", name);
  std::lock_guard<std::mutex> lock(mutex_);
  const auto [found, is_new] = by_name_.emplace(std::make_pair(std::string(kind), full), 0);
  if (is_new) {
    found->second = NextHandle();
    slots_.emplace(found->second, Slot{kind, std::move(full), nullptr});
  }
  return found->second;
}

int64_t ResourceManager::AddUnnamed(const char* kind, std::shared_ptr<Resource> resource) {
  const int64_t handle = NextHandle();
  std::lock_guard<std::mutex> lock(mutex_);
  slots_.emplace(handle, Slot{kind, "", std::move(resource)});
  return handle;
}

Result<std::shared_ptr<Resource>> ResourceManager::Lookup(int64_t handle, const char* kind,
                                                          Maker make) const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = slots_.find(handle);
    if (found != slots_.end()) {
      Slot& slot = found->second;
      if (std::strcmp(slot.kind, kind) != 0) {
        return InvalidArgument("a handle of the ", Text(slot), " is used as that of a ", kind);
      }
      if (slot.resource == nullptr && make != nullptr) slot.resource = make();
      if (slot.resource == nullptr) return NotFound("there is no ", Text(slot));
      return slot.resource;
    }
  }
  if (outer_ != nullptr) return outer_->Lookup(handle, kind, make);
  return InvalidArgument("not a handle of this session and step: ", handle);
}

Status ResourceManager::Remove(int64_t handle) {
  std::shared_ptr<Resource> removed;  // ends without the lock
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = slots_.find(handle);
    if (found != slots_.end()) {
      Slot& slot = found->second;
      removed = std::move(slot.resource);
      slot.resource = nullptr;
      if (removed == nullptr) return NotFound("there is no ", Text(slot));
      if (slot.name.empty()) slots_.erase(found);
      return OkStatus();
    }
  }
  if (outer_ != nullptr) return outer_->Remove(handle);
  return NotFound("not a handle of this session and step: ", handle);
}

std::string ResourceManager::Describe(int64_t handle) const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = slots_.find(handle);
    if (found != slots_.end()) return Text(found->second);
  }
  return outer_ != nullptr ? outer_->Describe(handle) : StrCat("handle ", handle);
}

std::string ResourceManager::Text(const Slot& slot) {
  return slot.name.empty() ? slot.kind : StrCat(slot.kind, " ", slot.name);
}

}  // namespace tfbuild
