#include "base/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>

namespace tfbuild {
namespace {

// What a kernel and the libraries that it calls need; of a small stack a quarter must do.
constexpr size_t kMostKept = size_t{512} << 10;

struct ThreadStack {
  size_t bytes = 0;
  uintptr_t lowest = 0;  // which recursion may use; 0 where nobody says where the stack ends
};

ThreadStack FindStack() {
  ThreadStack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* end = nullptr;
  if (pthread_attr_getstack(&attributes, &end, &stack.bytes) == 0) {
    const size_t kept = std::min(kMostKept, stack.bytes / 4);
    stack.lowest = reinterpret_cast<uintptr_t>(end) + kept;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

const ThreadStack& StackOfThread() {
  static thread_local const ThreadStack stack = FindStack();
  return stack;
}

}  // namespace

bool HasStackRoom() {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) >= StackOfThread().lowest;
}

Status CheckStackRoom() {
  if (HasStackRoom()) return OkStatus();
  return ResourceExhausted("nested too deeply for the stack of this thread, which has ",
                           StackOfThread().bytes >> 10, " KiB");
}

}  // namespace tfbuild
