// The order of copies among themselves and with kernels, and captured work. On emulated GPUs streams go
// on at any pace, so that an order that nobody asked for is wrong in some of the rounds.
#include <algorithm>
#include <functional>
#include <string>
#include <thread>

#include "tensor/queued_device.h"
#include "testing/test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int kRounds = 60;
constexpr int64_t kCount = 1000;

std::vector<QueuedDevice*> Gpus() {
  std::vector<QueuedDevice*> gpus;
  for (Device* device : LocalDevices()) {
    if (QueuedDevice* gpu = QueuedDevice::From(device)) gpus.push_back(gpu);
  }
  return gpus;
}

#define SKIP_WITHOUT_GPU() \
  if (Gpus().empty()) SKIP_TEST(GpuStatus().message())

Tensor All(int32_t value, int64_t count = kCount) {
  return Tensor::Vector(std::vector<int32_t>(static_cast<size_t>(count), value));
}

Tensor Empty(Allocator* allocator, int64_t count = kCount) {
  return *Tensor::Allocate(allocator, DType::kInt32, Shape{count});
}

// The number that the tensor on the device is full of, or -1.
int32_t NumberIn(QueuedDevice* gpu, const Tensor& tensor) {
  Tensor host = Empty(CpuAllocator(), tensor.num_elements());
  EXPECT_OK(gpu->CopyToHost(tensor, &host));
  const int32_t* data = host.data<int32_t>();
  const bool same = std::all_of(data, data + tensor.num_elements(),
                                [data](int32_t value) { return value == data[0]; });
  return same ? data[0] : -1;
}

// As a step does it: a value comes, is used, and its memory serves the next one.
TEST(CudaDevice, AValueComesWhenTheLastOneIsUsedUp) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    for (Allocator* memory : {gpu->arrivals(), gpu->allocator()}) {
      std::vector<Tensor> used;
      for (int i = 0; i < kRounds; ++i) {
        Tensor there = Empty(memory);
        ASSERT_OK(gpu->CopyFromHost(All(i), &there));
        used.push_back(Empty(gpu->allocator()));
        ASSERT_OK(gpu->CopyWithin(there, &used.back()));
      }
      for (int i = 0; i < kRounds; ++i) EXPECT_EQ(NumberIn(gpu, used[static_cast<size_t>(i)]), i);
    }
  }
}

TEST(CudaDevice, MoreCopiesThanPiecesAreOnTheirWay) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    std::vector<Tensor> there;
    for (int i = 0; i < kRounds; ++i) {
      there.push_back(Empty(gpu->arrivals(), 1));
      ASSERT_OK(gpu->CopyFromHost(All(i, 1), &there.back()));
    }
    for (int i = 0; i < kRounds; ++i) EXPECT_EQ(NumberIn(gpu, there[static_cast<size_t>(i)]), i);
  }
}

// Not the work behind the moment, but all before it.
TEST(CudaDevice, ACopyToTheHostWaitsForItsMoment) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    for (int i = 0; i < kRounds; ++i) {
      Tensor there = Empty(gpu->allocator());
      Tensor result = Empty(gpu->allocator());
      Tensor later = Empty(gpu->allocator());
      Tensor host = Empty(CpuAllocator());
      ASSERT_OK(gpu->CopyFromHost(All(i), &there));
      ASSERT_OK(gpu->CopyWithin(there, &result));
      const Result<std::shared_ptr<Moment>> ready = gpu->Mark();
      ASSERT_OK(ready);
      ASSERT_OK(gpu->CopyWithin(result, &later));
      ASSERT_OK(gpu->CopyToHostAfter(ready->get(), result, &host));
      EXPECT_EQ(host.data<int32_t>()[kCount - 1], i);
      ASSERT_OK((*ready)->Wait());
    }
  }
}

TEST(CudaDevice, ThreadsCopyBesideEachOther) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([gpu, t, &wrong] {
        for (int i = 0; i < 4; ++i) {
          const int64_t count = (int64_t{5} << 18) + t;  // more pieces than a copy has at once
          Tensor there = Empty(gpu->arrivals(), count);
          EXPECT_OK(gpu->CopyFromHost(All(100 * t + i, count), &there));
          wrong[static_cast<size_t>(t)] += NumberIn(gpu, there) != 100 * t + i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(wrong.begin(), wrong.end(), 0), 4);
  }
}

// The sender's memory is freed, and given to its next kernel, as soon as the copy is queued.
TEST(CudaDevice, PeersCopyInOrder) {
  SKIP_WITHOUT_GPU();
  const std::vector<QueuedDevice*> gpus = Gpus();
  if (gpus.size() < 2) SKIP_TEST("there is one GPU");
  for (const auto& [from, to] : {std::pair(gpus[0], gpus[1]), std::pair(gpus[1], gpus[0])}) {
    EXPECT_TRUE(to->IsPeer(*from));
    EXPECT_TRUE(!to->IsPeer(*CpuDevice()));
    std::vector<Tensor> received;
    Tensor seed = Empty(from->allocator());
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_OK(from->CopyFromHost(All(i), &seed));
      Tensor value = Empty(from->allocator());
      ASSERT_OK(from->CopyWithin(seed, &value));
      const Result<std::shared_ptr<Moment>> ready = from->Mark();
      ASSERT_OK(ready);
      Tensor there = Empty(to->arrivals());
      ASSERT_OK(to->CopyFromPeer(from, ready->get(), value, &there));
      received.push_back(Empty(to->allocator()));
      ASSERT_OK(to->CopyWithin(there, &received.back()));
      ASSERT_OK(from->CopyFromHost(All(-2), &seed));
      ASSERT_OK(from->CopyWithin(seed, &value));  // as whoever gets the memory next
    }
    for (int i = 0; i < kRounds; ++i) EXPECT_EQ(NumberIn(to, received[static_cast<size_t>(i)]), i);
  }
}

TEST(CudaDevice, CapturedWorkIsDoneWhenItIsQueued) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    Tensor source = Empty(gpu->allocator());
    Tensor result = Empty(gpu->allocator());
    ASSERT_OK(gpu->CopyFromHost(All(1), &source));
    ASSERT_OK(gpu->CopyFromHost(All(0), &result));
    ASSERT_OK(gpu->BeginCapture());
    {
      Tensor between = Empty(gpu->allocator());
      ASSERT_OK(gpu->CopyWithin(source, &between));
      ASSERT_OK(gpu->CopyWithin(between, &result));
    }
    ASSERT_OK(gpu->CheckCapture());
    Result<std::unique_ptr<CapturedWork>> work = gpu->EndCapture();
    ASSERT_OK(work);
    EXPECT_EQ((*work)->num_parts(), size_t{2});
    EXPECT_TRUE((*work)->bytes() >= source.num_bytes());
    EXPECT_EQ(NumberIn(gpu, result), 0);
    for (int i = 2; i < 8; ++i) {
      // Whoever asks for memory meanwhile does not get that of the captured work.
      std::vector<Tensor> others;
      for (int k = 0; k < 3; ++k) {
        others.push_back(Empty(gpu->allocator()));
        ASSERT_OK(gpu->CopyFromHost(All(-7), &others.back()));
      }
      ASSERT_OK(gpu->CopyFromHost(All(i), &source));
      ASSERT_OK((*work)->Queue(nullptr));
      for (const Tensor& other : others) EXPECT_EQ(NumberIn(gpu, other), -7);
      EXPECT_EQ(NumberIn(gpu, result), i);
    }
  }
}

TEST(CudaDevice, WhatWaitsCannotBeCaptured) {
  SKIP_WITHOUT_GPU();
  for (QueuedDevice* gpu : Gpus()) {
    Tensor there = Empty(gpu->allocator());
    Tensor host = All(3);
    const auto refuses = [&](const std::function<Status()>& call) {
      EXPECT_OK(gpu->BeginCapture());
      EXPECT_ERROR(call(), Code::kFailedPrecondition, "captured");
      EXPECT_ERROR(gpu->CheckCapture(), Code::kFailedPrecondition, "captured");
      EXPECT_ERROR(gpu->EndCapture(), Code::kFailedPrecondition, "captured");
    };
    refuses([&] { return gpu->CopyFromHost(host, &there); });
    refuses([&] { return gpu->CopyToHost(there, &host); });
    refuses([&] { return gpu->Synchronize(); });
    refuses([&] { return gpu->BeginCapture(); });
    EXPECT_ERROR(gpu->EndCapture(), Code::kFailedPrecondition, "nothing is captured");
    // What another thread does meanwhile is done.
    ASSERT_OK(gpu->BeginCapture());
    std::thread other([&] {
      EXPECT_OK(gpu->CopyFromHost(host, &there));
      EXPECT_EQ(NumberIn(gpu, there), 3);
    });
    other.join();
    const Result<std::unique_ptr<CapturedWork>> nothing = gpu->EndCapture();
    ASSERT_OK(nothing);
    EXPECT_EQ((*nothing)->num_parts(), size_t{0});
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
