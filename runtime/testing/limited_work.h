#pragma once

#include <atomic>

#include "base/exceptions.h"
#include "base/stop.h"

namespace tfbuild {
namespace testing {

// Work that may go on for so many looks.
class LimitedWork final : public Stoppable {
 public:
  explicit LimitedWork(int looks) : left_(looks) {}
  Status Check() override {
    return left_.fetch_sub(1) > 0 ? OkStatus() : Status(Code::kCancelled, "enough");
  }

 private:
  std::atomic<int> left_;
};

// What becomes of a call whose work may go on for so many looks: Cancelled where it looks more often.
template <typename Call>
Status StoppedAfter(int looks, const Call& call) {
  LimitedWork work(looks);
  return CatchExceptions([&]() -> Status {
    const StopScope scope(&work);
    return call();
  });
}

}  // namespace testing
}  // namespace tfbuild
