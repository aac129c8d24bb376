#include "base/nested_ptr.h"

#include <pthread.h>

#include <vector>

#include "testing/test.h"

namespace tfbuild {
namespace {

struct Box {
  explicit Box(int* count) : alive(count) { ++*alive; }
  ~Box() { --*alive; }
  int* alive;
  std::vector<NestedPtr<const Box>> inside;
};

NestedPtr<const Box> Nest(int depth, int* alive) {
  NestedPtr<const Box> held;
  for (int i = 0; i < depth; ++i) {
    auto around = std::make_shared<Box>(alive);
    around->inside.push_back(std::move(held));
    held = std::move(around);
  }
  return held;
}

TEST(NestedPtr, MillionBoxesInEachOtherAreDestroyedOnASmallStack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size_t{128} << 10);
  int alive = 0;
  const auto run = [](void* count) -> void* {
    Nest(1000000, static_cast<int*>(count));
    return nullptr;
  };
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &alive), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_EQ(alive, 0);
}

TEST(NestedPtr, WhatOthersHoldStays) {
  int alive = 0;
  NestedPtr<const Box> outer = Nest(1000, &alive);
  const NestedPtr<const Box> part = outer->inside[0]->inside[0];
  outer = nullptr;
  EXPECT_EQ(alive, 998);
  EXPECT_EQ(part.use_count(), 1);
}

TEST(NestedPtr, AssigningGivesUpWhatWasHeld) {
  int alive = 0;
  NestedPtr<const Box> held = Nest(3, &alive);
  held = Nest(2, &alive);
  EXPECT_EQ(alive, 2);
  const NestedPtr<const Box>& same = held;
  held = same;
  EXPECT_EQ(alive, 2);
}

}  // namespace
}  // namespace tfbuild
