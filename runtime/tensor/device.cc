#include "tensor/device.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "tensor/cuda_library.h"

namespace tfbuild {
namespace {

class HostDevice final : public Device {
 public:
  HostDevice() : Device(DeviceType::kCpu, 0) {}
  std::string description() const override { return "host processor"; }
  int64_t memory_bytes() const override {
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  }
  Allocator* allocator() override { return CpuAllocator(); }
  Status CopyFromHost(const Tensor& source, Tensor* target) override {
    return CopyWithin(source, target);
  }
  Status CopyToHost(const Tensor& source, Tensor* target) override {
    return CopyWithin(source, target);
  }
  Status CopyWithin(const Tensor& source, Tensor* target) override {
    if (source.dtype() == DType::kString) {
      std::copy_n(source.data<std::string>(), source.num_elements(),
                  target->mutable_data<std::string>());
    } else if (source.dtype() == DType::kVariant) {
      std::copy_n(source.data<Variant>(), source.num_elements(), target->mutable_data<Variant>());
    } else if (source.num_bytes() > 0) {
      std::memcpy(target->raw(), source.raw(), source.num_bytes());
    }
    return OkStatus();
  }
  Status Synchronize() override { return OkStatus(); }
};

struct Devices {
  std::vector<std::unique_ptr<Device>> owned;
  std::vector<Device*> all;
  Status gpu_status;
};

Devices& TheDevices() {
  static Devices* devices = new Devices;  // kernels on other threads may outlive main
  return *devices;
}

void OpenDevices() {
  static std::once_flag once;
  std::call_once(once, [] {
    CpuDevice();
    TheDevices().gpu_status = OpenCudaLibrary();
  });
}

}  // namespace

const char* DeviceTypeName(DeviceType type) { return type == DeviceType::kCpu ? "CPU" : "GPU"; }

Device::Device(DeviceType type, int ordinal)
    : type_(type),
      ordinal_(ordinal),
      name_(StrCat("/job:localhost/replica:0/task:0/device:", DeviceTypeName(type), ":", ordinal)) {
}

Device* CpuDevice() {
  static Device* cpu = [] {
    AddDevice(std::make_unique<HostDevice>());
    return TheDevices().all.front();
  }();
  return cpu;
}

const std::vector<Device*>& LocalDevices() {
  OpenDevices();
  return TheDevices().all;
}

const Status& GpuStatus() {
  OpenDevices();
  return TheDevices().gpu_status;
}

void AddDevice(std::unique_ptr<Device> device) {
  TheDevices().all.push_back(device.get());
  TheDevices().owned.push_back(std::move(device));
}

}  // namespace tfbuild
