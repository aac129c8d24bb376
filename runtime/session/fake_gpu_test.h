#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "tensor/device.h"

namespace tfbuild {
namespace testing {

// A GPU for tests on machines without one: what the host touches of its memory ends the process.
// Tensors lie in a mapping without access; copies and the kernels of its own ops (below) go through
// another mapping of the same memory.
class FakeGpu final : public Device, private tfbuild::Allocator {
 public:
  explicit FakeGpu(int ordinal);
  std::string description() const override { return "a test's device"; }
  int64_t memory_bytes() const override;
  tfbuild::Allocator* allocator() override { return this; }
  Status CopyFromHost(const Tensor& source, Tensor* target) override;
  Status CopyToHost(const Tensor& source, Tensor* target) override;
  Status CopyWithin(const Tensor& source, Tensor* target) override;
  Status Synchronize() override;

  // Where the device itself finds a tensor's elements.
  template <typename T>
  T* Inside(const Tensor& tensor) const {
    return reinterpret_cast<T*>(Reachable(tensor.raw()));
  }
  bool Holds(const void* data) const;
  // The next Synchronize fails, as after a kernel that went wrong.
  void FailNext(Status why) { failure_ = std::move(why); }

 private:
  void* Allocate(size_t bytes) override;
  void Deallocate(void* data, size_t bytes) override;
  char* Reachable(const void* data) const;
  char* untouchable_ = nullptr;
  char* reachable_ = nullptr;
  std::mutex mutex_;
  size_t next_ = 0;
  std::multimap<size_t, void*> free_;
  Status failure_;
};

// CPU:0 and two fake GPUs, made once for the process.
const std::vector<Device*>& DevicesWithFakeGpus();
FakeGpu* FakeGpuAt(int ordinal);

}  // namespace testing
}  // namespace tfbuild
