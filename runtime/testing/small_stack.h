#pragma once

#include <pthread.h>

#include <cstddef>

#include "testing/child.h"

namespace tfbuild {
namespace testing {

constexpr size_t kSmallStack = size_t{64} << 10;

// Calls `run` on a thread of the smallest stack that steps are made for; frames of sanitizers need more.
template <typename Run>
bool OnSmallStack(const Run& run) {
  struct Call {
    const Run* run;
    bool answer = false;
  };
  Call call{&run};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (kCanLimitMemory) pthread_attr_setstacksize(&attributes, kSmallStack);
  const auto begin = [](void* of) -> void* {
    auto* begun = static_cast<Call*>(of);
    begun->answer = (*begun->run)();
    return nullptr;
  };
  pthread_t thread;
  if (pthread_create(&thread, &attributes, begin, &call) == 0) pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return call.answer;
}

}  // namespace testing
}  // namespace tfbuild
