#include "base/stack_room.h"

#include <pthread.h>

#include <cstdlib>

#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

// How often it could call itself, with 1 KiB for each time, before there was no room.
int DepthReached(Status* status) {
  volatile char frame[1024];
  frame[0] = 0;
  *status = CheckStackRoom();
  if (!status->ok()) return frame[0];
  return 1 + DepthReached(status) + frame[0];
}

struct Reached {
  int depth = 0;
  Status status;
};

Reached ReachedWithStack(size_t bytes) {
  Reached reached;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // Its own: a thread is given the stack of one that has ended where that is large enough.
  void* const stack = std::aligned_alloc(4096, bytes);
  pthread_attr_setstack(&attributes, stack, bytes);
  const auto run = [](void* to) -> void* {
    auto* result = static_cast<Reached*>(to);
    result->depth = DepthReached(&result->status);
    return nullptr;
  };
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &reached), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  std::free(stack);
  return reached;
}

TEST(StackRoom, EndsRecursionByTheStackOfItsThread) {
  // A thread's own variables are a part of its stack: with the sanitiser of threads, 770 KiB.
  const Reached small = ReachedWithStack(size_t{4} << 20);
  EXPECT_EQ(static_cast<int>(small.status.code()), static_cast<int>(Code::kResourceExhausted));
  EXPECT_TRUE(small.status.message().find("which has 4096 KiB") != std::string::npos);
  EXPECT_TRUE(small.depth > 1000 && small.depth < 4096);
  const Reached large = ReachedWithStack(size_t{64} << 20);
  EXPECT_EQ(static_cast<int>(large.status.code()), static_cast<int>(Code::kResourceExhausted));
  EXPECT_TRUE(large.depth > 10 * small.depth);
}

TEST(StackRoom, LeavesKernelsWhatTheyNeedOfASmallStack) {
  if (!testing::kCanLimitMemory) SKIP_TEST("a sanitiser needs more of a stack");
  const Reached reached = ReachedWithStack(size_t{64} << 10);
  EXPECT_TRUE(reached.depth > 0 && reached.depth <= 16);
  EXPECT_TRUE(reached.status.message().find("larger stacks") != std::string::npos);
}

TEST(StackRoom, AFreshStackHasRoom) { EXPECT_OK(CheckStackRoom()); }

}  // namespace
}  // namespace tfbuild
