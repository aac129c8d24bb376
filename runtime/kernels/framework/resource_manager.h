#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/status.h"

namespace tfbuild {

// What kernels share by a handle: a variable, a stack, an array of tensors. A class of resources has
// a name of its own for its kind, `static constexpr char kKind[]`; two kinds may use one name.
class Resource {
 public:
  virtual ~Resource() = default;
};

// The resources of a session, or of one step of it, by handle and by container and name. A handle is
// a number that no other manager of this process gives out, so that one of another session, or of a
// step that has ended, is found nowhere. There need be nothing behind it: a variable has a handle
// before it has a value, and still when it was destroyed. Thread-safe.
class ResourceManager {
 public:
  // Where a resource is named and its container is not.
  static constexpr char kDefaultContainer[] = "localhost";

  // What it does not have itself is looked for in `outer`, which must outlive it.
  explicit ResourceManager(ResourceManager* outer = nullptr) : outer_(outer) {}
  ResourceManager(const ResourceManager&) = delete;
  ResourceManager& operator=(const ResourceManager&) = delete;

  // The handle of the T of that name, always the same.
  template <typename T>
  int64_t Handle(const std::string& container, const std::string& name) {
    return HandleOf(container, T::kKind, name);
  }
  // Keeps a resource without a name; its new handle.
  template <typename T>
  int64_t Add(std::shared_ptr<T> resource) {
    return AddUnnamed(T::kKind, std::move(resource));
  }
  // What is behind a handle. NotFound when there is nothing, InvalidArgument when it is no handle
  // of a T.
  template <typename T>
  Result<std::shared_ptr<T>> Find(int64_t handle) const {
    ASSIGN_OR_RETURN(std::shared_ptr<Resource> found, Lookup(handle, T::kKind, nullptr));
    return std::static_pointer_cast<T>(std::move(found));
  }
  // As Find, but makes a T where there is nothing.
  template <typename T>
  Result<std::shared_ptr<T>> FindOrCreate(int64_t handle) {
    const Maker make = [] { return std::shared_ptr<Resource>(std::make_shared<T>()); };
    ASSIGN_OR_RETURN(std::shared_ptr<Resource> found, Lookup(handle, T::kKind, make));
    return std::static_pointer_cast<T>(std::move(found));
  }
  // Gives up what is behind a handle; who uses it keeps it until then. NotFound when there is
  // nothing.
  Status Remove(int64_t handle);
  // What the handle stands for, as in "variable localhost/w", for messages.
  std::string Describe(int64_t handle) const;

 private:
  struct Slot {
    const char* kind;
    std::string name;  // with its container; empty for what has none
    std::shared_ptr<Resource> resource;
  };
  using Maker = std::shared_ptr<Resource> (*)();
  int64_t HandleOf(const std::string& container, const char* kind, const std::string& name);
  int64_t AddUnnamed(const char* kind, std::shared_ptr<Resource> resource);
  Result<std::shared_ptr<Resource>> Lookup(int64_t handle, const char* kind, Maker make) const;
  static std::string Text(const Slot& slot);

  ResourceManager* const outer_;
  mutable std::mutex mutex_;
  mutable std::unordered_map<int64_t, Slot> slots_;
  std::map<std::pair<std::string, std::string>, int64_t> by_name_;  // kind, container/name
};

}  // namespace tfbuild
