#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"

namespace tfbuild {

// The numbers are those of TensorFlow's error codes, so that a Python program catches the same
// classes (InvalidArgumentError, NotFoundError, ...).
enum class Code : int {
  kOk = 0,
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

// Says whether something worked and, if not, why. Success costs one null pointer.
// Value type; thread-compatible.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message);
  Status(const Status& other) : state_(other.ok() ? nullptr : Copy(*other.state_)) {}
  Status(Status&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Status& operator=(Status other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Status() {
    if (!ok()) Free(state_);
  }

  bool ok() const { return state_ == nullptr; }
  Code code() const { return ok() ? Code::kOk : state_->code; }
  const std::string& message() const;

  // The same status with `where` put before its message; ok stays ok.
  Status Annotate(const std::string& where) const;

 private:
  struct State {
    Code code;
    std::string message;
  };
  static State* Copy(const State& state);
  static void Free(State* state);
  State* state_ = nullptr;
};

inline Status OkStatus() { return Status(); }

// Errors are made seldom, and out of line.
[[gnu::cold]] Status MakeError(Code code, std::initializer_list<TextPart> message);

template <typename... Parts>
Status InvalidArgument(const Parts&... parts) {
  return MakeError(Code::kInvalidArgument, {TextPart(parts)...});
}
template <typename... Parts>
Status NotFound(const Parts&... parts) {
  return MakeError(Code::kNotFound, {TextPart(parts)...});
}
template <typename... Parts>
Status AlreadyExists(const Parts&... parts) {
  return MakeError(Code::kAlreadyExists, {TextPart(parts)...});
}
template <typename... Parts>
Status FailedPrecondition(const Parts&... parts) {
  return MakeError(Code::kFailedPrecondition, {TextPart(parts)...});
}
template <typename... Parts>
Status ResourceExhausted(const Parts&... parts) {
  return MakeError(Code::kResourceExhausted, {TextPart(parts)...});
}
template <typename... Parts>
Status Unimplemented(const Parts&... parts) {
  return MakeError(Code::kUnimplemented, {TextPart(parts)...});
}
template <typename... Parts>
Status Internal(const Parts&... parts) {
  return MakeError(Code::kInternal, {TextPart(parts)...});
}
template <typename... Parts>
Status DataLoss(const Parts&... parts) {
  return MakeError(Code::kDataLoss, {TextPart(parts)...});
}

// A T, or the Status that says why there is none.
//
//   Result<Shape> shape = Broadcast(a, b);
//   if (!shape.ok()) return shape.status();
//   Use(*shape);
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT: implicit by design
  // An error that says Ok would leave a Result with neither value nor error.
  Result(Status status)  // NOLINT: implicit by design
      : status_(status.ok() ? Internal("Result made from an ok Status") : std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  const T& operator*() const& { return *value_; }
  T& operator*() & { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  const T* operator->() const { return &*value_; }
  T* operator->() { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace tfbuild

#define TFBUILD_CONCAT_INNER(a, b) a##b
#define TFBUILD_CONCAT(a, b) TFBUILD_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)               \
  do {                                            \
    ::tfbuild::Status _status = (expression);     \
    if (!_status.ok()) return _status;            \
  } while (false)

#define ASSIGN_OR_RETURN(left, expression) \
  ASSIGN_OR_RETURN_IMPL(TFBUILD_CONCAT(_result_, __LINE__), left, expression)
#define ASSIGN_OR_RETURN_IMPL(result, left, expression) \
  auto result = (expression);                           \
  if (!result.ok()) return result.status();             \
  left = *std::move(result)
