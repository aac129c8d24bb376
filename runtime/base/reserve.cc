#include "base/reserve.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

namespace tfbuild {
namespace {

// Some kernels of oneDNN make 10 MB of code and tables.
constexpr size_t kReserve = size_t{64} << 20;
// What malloc maps for the first memory of a thread, and more.
constexpr size_t kThreadMemory = size_t{64} << 20;

std::atomic<size_t> stack_bytes{0};

size_t FindBytesOfStack() {
  size_t bytes = size_t{8} << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return bytes;
}

size_t BytesOfStack() {
  static const size_t bytes = FindBytesOfStack();
  return bytes;
}

size_t ReserveBytes() { return kReserve + stack_bytes.load(std::memory_order_relaxed); }

// Whether that many bytes can be mapped; not touched, so no page of them is ever there.
bool CanMap(size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return false;
  munmap(data, bytes);
  return true;
}

}  // namespace

bool HasReserve() { return CanMap(ReserveBytes()); }

Status CheckReserve() {
  if (HasReserve()) return OkStatus();
  return ResourceExhausted("out of memory: less than ", ReserveBytes() >> 20,
                           " MiB of address space are left (ulimit -v)");
}

int ThreadsBesideReserve(int count) {
  const size_t each = BytesOfStack() + kThreadMemory;
  while (count > 0 && !CanMap(ReserveBytes() + static_cast<size_t>(count) * each)) --count;
  return count;
}

void ReserveThreads(int count) {
  const size_t wanted = static_cast<size_t>(count) * BytesOfStack();
  size_t known = stack_bytes.load(std::memory_order_relaxed);
  while (wanted > known && !stack_bytes.compare_exchange_weak(known, wanted)) {
  }
}

void MapThreadMemory() {
  void* volatile memory = std::malloc(1);
  std::free(memory);
}

}  // namespace tfbuild
