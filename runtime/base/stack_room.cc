#include "base/stack_room.h"

#include <pthread.h>

#include <algorithm>
#include <cstdint>

namespace tfbuild {
namespace {

// What a kernel and the libraries that it calls need: of a small stack a quarter must do, but for the
// least (oneDNN's convolutions take 30 KiB), which a thread with less than that beside it cannot give.
constexpr size_t kMostKept = size_t{512} << 10;
constexpr size_t kLeastKept = size_t{48} << 10;

size_t KeptOf(size_t bytes) {
  return std::min(kMostKept, std::max(bytes / 4, std::min(kLeastKept, bytes * 3 / 4)));
}

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
    stack.lowest = reinterpret_cast<uintptr_t>(end) + KeptOf(stack.bytes);
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
                           StackOfThread().bytes >> 10,
                           " KiB: nest less, or give threads larger stacks (threading.stack_size in "
                           "Python)");
}

}  // namespace tfbuild
