#include "tensor/device.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <random>

#include "tensor/cuda_library.h"

namespace tfbuild {
namespace {

class HostDevice final : public Device {
 public:
  explicit HostDevice(int ordinal) : Device(DeviceType::kCpu, ordinal) {}
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

uint64_t NewIncarnation() {
  std::random_device random;
  return uint64_t{random()} << 32 | random();
}

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
      incarnation_(NewIncarnation()),
      name_(StrCat("/job:localhost/replica:0/task:0/device:", DeviceTypeName(type), ":", ordinal)) {
}

Device* CpuDevice() {
  static Device* cpu = [] {
    AddDevice(std::make_unique<HostDevice>(0));
    return TheDevices().all.front();
  }();
  return cpu;
}

std::vector<Device*> CpuDevices(int count) {
  static std::mutex mutex;
  static auto* others = new std::vector<std::unique_ptr<Device>>;
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Device*> devices{CpuDevice()};
  for (int ordinal = 1; ordinal < count; ++ordinal) {
    const size_t place = static_cast<size_t>(ordinal - 1);
    if (place == others->size()) others->push_back(std::make_unique<HostDevice>(ordinal));
    devices.push_back((*others)[place].get());
  }
  return devices;
}

const std::vector<Device*>& LocalDevices() {
  OpenDevices();
  return TheDevices().all;
}

std::vector<Device*> SessionDevices(int num_cpus, bool use_gpu) {
  std::vector<Device*> devices = CpuDevices(num_cpus);
  if (!use_gpu) return devices;
  for (Device* device : LocalDevices()) {
    if (device->type() == DeviceType::kGpu && device->is_usable()) devices.push_back(device);
  }
  return devices;
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
