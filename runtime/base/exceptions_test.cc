#include "base/exceptions.h"

#include <new>
#include <stdexcept>
#include <vector>

#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(CatchExceptions, MemoryThatIsNotThereIsAnError) {
  EXPECT_ERROR(CatchExceptions([]() -> Status { throw std::bad_alloc(); }),
               Code::kResourceExhausted, "out of memory");
  EXPECT_ERROR(CatchExceptions([]() -> Result<int> {
                 const std::vector<int> values(size_t{1} << 62);
                 return values.front();
               }),
               Code::kResourceExhausted, "out of memory");
}

TEST(CatchExceptions, EverythingElseIsInternal) {
  EXPECT_ERROR(CatchExceptions([]() -> Status { throw std::runtime_error("why"); }),
               Code::kInternal, "why");
  EXPECT_ERROR(CatchExceptions([]() -> Status { throw 1; }), Code::kInternal, "unknown");
}

TEST(CatchExceptions, WhatIsAnsweredIsKept) {
  EXPECT_EQ(*CatchExceptions([]() -> Result<int> { return 3; }), 3);
}

}  // namespace
}  // namespace tfbuild
