#include "base/reserve.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

namespace tfbuild {
namespace {

// Some kernels of oneDNN make 10 MB of code and tables; the first memory that a thread asks for may
// map 64 MB for more.
constexpr size_t kReserve = size_t{64} << 20;

std::atomic<size_t> stack_bytes{0};

size_t BytesOfStack() {
  size_t bytes = size_t{8} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return bytes;
}

size_t ReserveBytes() { return kReserve + stack_bytes.load(std::memory_order_relaxed); }

}  // namespace

bool HasReserve() {
  const size_t bytes = ReserveBytes();
  // Not touched, so no page of it is ever there.
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return false;
  munmap(data, bytes);
  return true;
}

Status CheckReserve() {
  if (HasReserve()) return OkStatus();
  return ResourceExhausted("out of memory: less than ", ReserveBytes() >> 20,
                           " MiB of address space are left (ulimit -v)");
}

void ReserveThreads(int count) {
  static const size_t bytes_of_stack = BytesOfStack();
  const size_t wanted = static_cast<size_t>(count) * bytes_of_stack;
  size_t known = stack_bytes.load(std::memory_order_relaxed);
  while (wanted > known && !stack_bytes.compare_exchange_weak(known, wanted)) {
  }
}

void MapThreadMemory() {
  void* volatile memory = std::malloc(1);
  std::free(memory);
}

}  // namespace tfbuild
