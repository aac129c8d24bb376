#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace tfbuild {

// Gives up a share of an object. Objects that hold each other like boxes in boxes would be destroyed by
// functions that call each other as deep as the boxes are, and a loop makes a hundred thousand of
// them: so from the sixteenth on they wait until those around them are gone.
void ReleaseNested(std::shared_ptr<const void> share) noexcept;

// A std::shared_ptr for what may hold others of its kind, to any depth, and is not destroyed by
// recursion.
template <typename T>
class NestedPtr : public std::shared_ptr<T> {
 public:
  NestedPtr() = default;
  NestedPtr(std::nullptr_t) {}  // NOLINT: implicit, as of a shared_ptr
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  NestedPtr(std::shared_ptr<U> other)  // NOLINT: implicit, as of a shared_ptr
      : std::shared_ptr<T>(std::move(other)) {}
  NestedPtr(const NestedPtr& other) = default;
  NestedPtr(NestedPtr&& other) noexcept = default;
  NestedPtr& operator=(NestedPtr other) noexcept {
    this->swap(other);
    return *this;
  }
  ~NestedPtr() {
    if (*this != nullptr) ReleaseNested(std::move(*this));
  }
};

}  // namespace tfbuild
