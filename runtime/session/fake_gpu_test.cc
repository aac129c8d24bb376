#include "session/fake_gpu_test.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "graph/shape_context.h"
#include "kernels/framework/op_kernel.h"
#include "testing/child.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr size_t kBytes = size_t{16} << 20;

// x + x, on the CPU and on the fake GPUs: an op that no library of kernels has.
REGISTER_OP("TestTwice").Input("x: T").Output("y: T").Attr("T: {float, int32, int64}")
    .ShapeFunction(UnchangedShape);
// An int32 as a float, on both.
REGISTER_OP("TestWiden").Input("x: int32").Output("y: float").ShapeFunction(UnchangedShape);
// Only on the CPU.
REGISTER_OP("TestHostTwice").Input("x: T").Output("y: T").Attr("T: {float, int64}")
    .ShapeFunction(UnchangedShape);

template <typename T, typename R, int kFactor>
class TimesOp final : public OpKernel {
 public:
  Status Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    ASSIGN_OR_RETURN(Tensor * y, context->ForwardOrAllocateOutput({0}, 0, x.shape()));
    const auto* gpu = dynamic_cast<const FakeGpu*>(context->device());
    const T* from = gpu == nullptr ? x.data<T>() : gpu->Inside<T>(x);
    R* to = gpu == nullptr ? y->mutable_data<R>() : gpu->Inside<R>(*y);
    for (int64_t i = 0; i < x.num_elements(); ++i) to[i] = static_cast<R>(kFactor * from[i]);
    return OkStatus();
  }
};
template <typename T>
using TwiceOp = TimesOp<T, T, 2>;
using WidenOp = TimesOp<int32_t, float, 1>;

REGISTER_KERNEL(Kernel("TestTwice").OnCpu().Type<float>("T"), TwiceOp<float>);
REGISTER_KERNEL(Kernel("TestTwice").OnCpu().Type<int32_t>("T"), TwiceOp<int32_t>);
REGISTER_KERNEL(Kernel("TestTwice").OnGpu().Type<float>("T"), TwiceOp<float>);
REGISTER_KERNEL(Kernel("TestTwice").OnGpu().Type<int32_t>("T"), TwiceOp<int32_t>);
REGISTER_KERNEL(Kernel("TestWiden").OnCpu(), WidenOp);
REGISTER_KERNEL(Kernel("TestWiden").OnGpu(), WidenOp);
REGISTER_KERNEL(Kernel("TestHostTwice").OnCpu().Type<float>("T"), TwiceOp<float>);

}  // namespace

FakeGpu::FakeGpu(int ordinal) : Device(DeviceType::kGpu, ordinal) {
  const int file = memfd_create("fake_gpu", 0);
  if (file < 0 || ftruncate(file, kBytes) != 0) std::abort();
  void* none = mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED, file, 0);
  void* all = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (none == MAP_FAILED || all == MAP_FAILED) std::abort();
  close(file);
  untouchable_ = static_cast<char*>(none);
  reachable_ = static_cast<char*>(all);
}

int64_t FakeGpu::memory_bytes() const { return kBytes; }

bool FakeGpu::Holds(const void* data) const {
  const char* byte = static_cast<const char*>(data);
  return byte >= untouchable_ && byte < untouchable_ + kBytes;
}

char* FakeGpu::Reachable(const void* data) const {
  if (!Holds(data)) std::abort();
  return reachable_ + (static_cast<const char*>(data) - untouchable_);
}

void* FakeGpu::Allocate(size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  const size_t rounded = (bytes / 64 + 1) * 64;
  const auto found = free_.find(rounded);
  if (found != free_.end()) {
    void* data = found->second;
    free_.erase(found);
    return data;
  }
  if (rounded > kBytes - next_) return nullptr;
  next_ += rounded;
  return untouchable_ + next_ - rounded;
}

void FakeGpu::Deallocate(void* data, size_t bytes) {
  std::lock_guard<std::mutex> lock(mutex_);
  free_.emplace((bytes / 64 + 1) * 64, data);
}

Status FakeGpu::CopyFromHost(const Tensor& source, Tensor* target) {
  std::memcpy(Reachable(target->raw()), source.raw(), source.num_bytes());
  return OkStatus();
}

Status FakeGpu::CopyToHost(const Tensor& source, Tensor* target) {
  std::memcpy(target->raw(), Reachable(source.raw()), source.num_bytes());
  return OkStatus();
}

Status FakeGpu::CopyWithin(const Tensor& source, Tensor* target) {
  std::memcpy(Reachable(target->raw()), Reachable(source.raw()), source.num_bytes());
  return OkStatus();
}

Status FakeGpu::Synchronize() {
  const Status failure = failure_;
  failure_ = OkStatus();
  return failure;
}

FakeGpu* FakeGpuAt(int ordinal) {
  static FakeGpu* const gpus[2] = {new FakeGpu(0), new FakeGpu(1)};
  return gpus[ordinal];
}

const std::vector<Device*>& DevicesWithFakeGpus() {
  static const auto* devices =
      new std::vector<Device*>{CpuDevice(), FakeGpuAt(0), FakeGpuAt(1)};
  return *devices;
}

TEST(FakeGpu, TheHostCannotTouchItsMemory) {
  FakeGpu* gpu = FakeGpuAt(0);
  const Tensor host = MakeTensor<float>({2}, {1, 2});
  Tensor there = *Tensor::Allocate(gpu->allocator(), DType::kFloat, {2});
  ASSERT_OK(gpu->CopyFromHost(host, &there));
  EXPECT_EQ(gpu->Inside<float>(there)[1], 2.0f);
  volatile float seen = 0;
  EXPECT_TRUE(WIFSIGNALED(StatusOfChild([&] {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitiser would rather report it
    seen = *there.data<float>();
  })));
}

}  // namespace testing
}  // namespace tfbuild
