#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include "tensor/device.h"
#include "testing/child.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

std::vector<Device*> Gpus() {
  std::vector<Device*> gpus;
  for (Device* device : LocalDevices()) {
    if (device->type() == DeviceType::kGpu) gpus.push_back(device);
  }
  return gpus;
}

#define SKIP_WITHOUT_GPU() \
  if (Gpus().empty()) SKIP_TEST(GpuStatus().message())

std::vector<int32_t> Numbers(int64_t count) {
  std::vector<int32_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 7);
  return numbers;
}

// The tensor after a way to the device, through a second tensor there, and back.
Result<Tensor> RoundTrip(Device* device, const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  ASSIGN_OR_RETURN(Tensor there, Tensor::Allocate(device->allocator(), dtype, tensor.shape()));
  ASSIGN_OR_RETURN(Tensor other, Tensor::Allocate(device->allocator(), dtype, tensor.shape()));
  ASSIGN_OR_RETURN(Tensor back, Tensor::Allocate(CpuAllocator(), dtype, tensor.shape()));
  RETURN_IF_ERROR(device->CopyFromHost(tensor, &there));
  RETURN_IF_ERROR(device->CopyWithin(there, &other));
  RETURN_IF_ERROR(device->CopyToHost(other, &back));
  return back;
}

TEST(CudaDevice, TheChildOfAForkGetsAnErrorThatSaysSo) {
  SKIP_WITHOUT_GPU();
  const Tensor number = Tensor::Scalar<float>(2);
  for (Device* gpu : Gpus()) {
    const Result<Tensor> before = RoundTrip(gpu, number);
    ASSERT_OK(before);
    const int status = StatusOfChild([&] {
      const Status refused = RoundTrip(gpu, number).status();
      const bool clear = refused.code() == Code::kFailedPrecondition &&
                         refused.message().find("spawn") != std::string::npos;
      const std::vector<Device*> left = SessionDevices(1, true);
      _exit(clear && left.size() == 1 && left[0] == CpuDevice() ? 0 : 1);
    });
    EXPECT_EQ(status, 0);
    const Result<Tensor> after = RoundTrip(gpu, number);
    EXPECT_OK(after);
  }
}

TEST(CudaDevice, NoGpuHasAReason) { EXPECT_EQ(Gpus().empty(), !GpuStatus().ok()); }

TEST(CudaDevice, DescribesItself) {
  SKIP_WITHOUT_GPU();
  for (Device* gpu : Gpus()) {
    EXPECT_TRUE(gpu->description().find("compute capability") != std::string::npos);
    EXPECT_TRUE(gpu->memory_bytes() > (int64_t{1} << 28));
    EXPECT_TRUE(gpu->name().find("/device:GPU:") != std::string::npos);
  }
}

TEST(CudaDevice, CopiesThereAndBack) {
  SKIP_WITHOUT_GPU();
  // Nothing, one element, and sizes around and beyond one piece of the staging memory.
  for (const int64_t count : {0, 1, 1000, 1 << 20, (1 << 20) + 1, 5 << 20}) {
    const Tensor tensor = Tensor::Vector(Numbers(count));
    for (Device* gpu : Gpus()) {
      const Result<Tensor> back = RoundTrip(gpu, tensor);
      ASSERT_OK(back);
      const int32_t* data = back->data<int32_t>();
      EXPECT_TRUE(std::equal(data, data + count, tensor.data<int32_t>()));
    }
  }
}

TEST(CudaDevice, CopiesAreOrdered) {
  SKIP_WITHOUT_GPU();
  const int64_t count = 3 << 20;
  const Tensor first = Tensor::Vector(Numbers(count));
  const Tensor second = Tensor::Vector(std::vector<int32_t>(static_cast<size_t>(count), 5));
  for (Device* gpu : Gpus()) {
    Tensor there = *Tensor::Allocate(gpu->allocator(), DType::kInt32, first.shape());
    Tensor back = *Tensor::Allocate(CpuAllocator(), DType::kInt32, first.shape());
    ASSERT_OK(gpu->CopyFromHost(first, &there));
    ASSERT_OK(gpu->CopyFromHost(second, &there));
    ASSERT_OK(gpu->CopyToHost(there, &back));
    EXPECT_EQ(back.data<int32_t>()[0], 5);
    EXPECT_EQ(back.data<int32_t>()[count - 1], 5);
  }
}

TEST(CudaDevice, HandsFreedMemoryOutAgain) {
  SKIP_WITHOUT_GPU();
  for (Device* gpu : Gpus()) {
    for (const size_t bytes : {size_t{100}, size_t{5000000}}) {
      void* first = gpu->allocator()->Allocate(bytes);
      EXPECT_TRUE(first != nullptr);
      gpu->allocator()->Deallocate(first, bytes);
      void* second = gpu->allocator()->Allocate(bytes);
      EXPECT_TRUE(first == second);
      gpu->allocator()->Deallocate(second, bytes);
    }
  }
}

TEST(CudaDevice, RefusesMoreMemoryThanThereIs) {
  SKIP_WITHOUT_GPU();
  for (Device* gpu : Gpus()) {
    const Shape shape{gpu->memory_bytes()};
    EXPECT_ERROR(Tensor::Allocate(gpu->allocator(), DType::kFloat, shape),
                 Code::kResourceExhausted, "out of memory");
    // Cached blocks of other sizes are given up for a large one.
    const size_t half = static_cast<size_t>(gpu->memory_bytes()) / 16 * 7;
    for (const size_t bytes : {half, half / 2, half + (half >> 3)}) {
      void* data = gpu->allocator()->Allocate(bytes);
      EXPECT_TRUE(data != nullptr);
      if (data != nullptr) gpu->allocator()->Deallocate(data, bytes);
    }
  }
}

TEST(CudaDevice, FreedNeighboursServeALargerTensor) {
  SKIP_WITHOUT_GPU();
  const char* pool = std::getenv("TFBUILD_GPU_POOL");
  if (pool != nullptr && std::string(pool) == "0") SKIP_TEST("each tensor has a block of its own");
  constexpr size_t kPart = size_t{8} << 20;
  for (Device* gpu : Gpus()) {
    Allocator* const allocator = gpu->allocator();
    // More than any region that there is can be free: a new one is cut from its beginning on.
    const size_t all = static_cast<size_t>(gpu->memory_bytes()) / 2;
    void* whole = allocator->Allocate(all);
    EXPECT_TRUE(whole != nullptr);
    allocator->Deallocate(whole, all);
    std::vector<void*> parts;
    for (size_t i = 0; i < all / kPart; ++i) parts.push_back(allocator->Allocate(kPart));
    EXPECT_TRUE(std::count(parts.begin(), parts.end(), nullptr) == 0);
    // Freed from the middle to both ends, they are one again.
    for (size_t i = 0; i < parts.size(); ++i) {
      const size_t middle = parts.size() / 2;
      const size_t at = i % 2 == 0 ? (middle + i / 2) : (middle - 1 - i / 2);
      allocator->Deallocate(parts[at], kPart);
    }
    void* again = allocator->Allocate(all);
    EXPECT_TRUE(again != nullptr);
    allocator->Deallocate(again, all);
  }
}

TEST(CudaDevice, BlocksLieApart) {
  SKIP_WITHOUT_GPU();
  std::mt19937 random(20261123);
  for (Device* gpu : Gpus()) {
    std::map<char*, size_t> held;  // by address
    for (int i = 0; i < 3000; ++i) {
      if (random() % 2 == 0 || held.size() < 4) {
        const size_t bytes = size_t{1} << (random() % 23);
        const size_t wanted = bytes + random() % bytes;
        char* const data = static_cast<char*>(gpu->allocator()->Allocate(wanted));
        if (data == nullptr) continue;
        const auto next = held.lower_bound(data);
        EXPECT_TRUE(next == held.end() || data + wanted <= next->first);
        EXPECT_TRUE(next == held.begin() ||
                    std::prev(next)->first + std::prev(next)->second <= data);
        held.emplace(data, wanted);
      } else {
        const auto one = std::next(held.begin(), static_cast<int>(random() % held.size()));
        gpu->allocator()->Deallocate(one->first, one->second);
        held.erase(one);
      }
    }
    for (const auto& [data, bytes] : held) gpu->allocator()->Deallocate(data, bytes);
  }
}

TEST(CudaDevice, RefusesStrings) {
  SKIP_WITHOUT_GPU();
  const Tensor text = Tensor::Strings(Shape{1}, {"text"});
  Tensor target = text;
  for (Device* gpu : Gpus()) {
    EXPECT_ERROR(gpu->CopyFromHost(text, &target), Code::kInvalidArgument, "stay on the host");
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
