#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "tensor/allocator.h"
#include "tensor/tensor.h"

namespace tfbuild {

enum class DeviceType { kCpu, kGpu };

const char* DeviceTypeName(DeviceType type);  // "CPU", "GPU"

// A place where kernels run. Work on a GPU is queued on one stream in the order of the calls;
// memory freed there may be handed out again at once, since later work waits in the same stream.
// Thread-safe. Devices live until the process ends.
class Device {
 public:
  Device(DeviceType type, int ordinal);
  virtual ~Device() = default;

  DeviceType type() const { return type_; }
  int ordinal() const { return ordinal_; }
  // A number that no other device of this or another process is likely to have.
  uint64_t incarnation() const { return incarnation_; }
  // "/job:localhost/replica:0/task:0/device:GPU:0", as TensorFlow names it.
  const std::string& name() const { return name_; }
  // For people: "NVIDIA H200, compute capability 9.0".
  virtual std::string description() const = 0;
  virtual int64_t memory_bytes() const = 0;
  virtual Allocator* allocator() = 0;
  // A GPU is not in the child of a fork.
  virtual bool is_usable() const { return true; }

  // Copies bytes into the memory of `target`, which matches `source` in type and elements: from
  // the host, to the host, or inside the device. FromHost returns when `source` may change; ToHost
  // when `target` is written; CopyWithin is queued like a kernel.
  virtual Status CopyFromHost(const Tensor& source, Tensor* target) = 0;
  virtual Status CopyToHost(const Tensor& source, Tensor* target) = 0;
  virtual Status CopyWithin(const Tensor& source, Tensor* target) = 0;
  // Waits for all queued work; reports a failure of any kernel since the last call.
  virtual Status Synchronize() = 0;
  // Waits as well; of failures that kernels have found themselves it reports those of that step (its
  // StepContext), and leaves those of others for them.
  virtual Status EndStep(const void* /*step*/) { return Synchronize(); }

 private:
  DeviceType type_;
  int ordinal_;
  uint64_t incarnation_;
  std::string name_;
};

// The devices of this process, CPU:0 first. The first call opens the CUDA library if there is one.
const std::vector<Device*>& LocalDevices();
// CPU:0.
Device* CpuDevice();
// CPU:0, CPU:1 and so on, `count` of them and at least one: alike, in one memory.
std::vector<Device*> CpuDevices(int count);
// Those, and the GPUs of this process if they are wanted.
std::vector<Device*> SessionDevices(int num_cpus, bool use_gpu);
// Ok when GPUs are usable; otherwise one sentence that says what is missing and what to do.
const Status& GpuStatus();

// Called by the CUDA library while it is being opened.
void AddDevice(std::unique_ptr<Device> device);

}  // namespace tfbuild
