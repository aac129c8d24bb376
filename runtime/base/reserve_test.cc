#include "base/reserve.h"

#include <sys/resource.h>
#include <unistd.h>

#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(Reserve, IsAskedForEachTime) {
  EXPECT_TRUE(HasReserve());
  EXPECT_EQ(testing::StatusOfChild([] {
    const rlimit none{0, RLIM_INFINITY};
    const rlimit all{RLIM_INFINITY, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
    if (HasReserve() || CheckReserve().code() != Code::kResourceExhausted) _exit(2);
    setrlimit(RLIMIT_AS, &all);
    if (!HasReserve() || !CheckReserve().ok()) _exit(3);
  }), 0);
}

TEST(Reserve, GrowsWithThreads) {
  if (!testing::kCanLimitMemory) SKIP_TEST("a sanitiser maps more than any limit");
  EXPECT_EQ(testing::StatusOfChild([] {
    ReserveThreads(2);
    ReserveThreads(1);
    const rlimit little{rlim_t{8} << 30, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &little);
    if (!HasReserve()) _exit(2);
    ReserveThreads(10000);
    if (HasReserve()) _exit(3);
  }), 0);
}

TEST(Reserve, HasThreadsBesideIt) {
  if (!testing::kCanLimitMemory) SKIP_TEST("a sanitiser maps more than any limit");
  EXPECT_EQ(ThreadsBesideReserve(3), 3);
  EXPECT_EQ(testing::StatusOfChild([] {
    const rlimit none{0, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &none);
    if (ThreadsBesideReserve(3) != 0) _exit(2);
    const rlimit little{rlim_t{1} << 30, RLIM_INFINITY};
    setrlimit(RLIMIT_AS, &little);
    const int some = ThreadsBesideReserve(1000);
    if (some < 1 || some > 100) _exit(3);
  }), 0);
}

}  // namespace
}  // namespace tfbuild
