#include "tensor/tensor.h"

#include <cstdint>
#include <cstring>

#include "tensor/memory_limit.h"
#include "testing/limited_work.h"
#include "testing/test.h"

namespace tfbuild {
namespace {

TEST(Allocator, BlocksAreAlignedAndReused) {
  Allocator* allocator = CpuAllocator();
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{257}, size_t{5000}, size_t{3} << 20}) {
    void* data = allocator->Allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % kTensorAlignment, uintptr_t{0});
    std::memset(data, 1, bytes);
    allocator->Deallocate(data, bytes);
    void* again = allocator->Allocate(bytes);
    EXPECT_TRUE(again == data);
    allocator->Deallocate(again, bytes);
  }
}

TEST(Allocator, BlocksInUseDoNotOverlap) {
  Allocator* allocator = CpuAllocator();
  for (size_t bytes = 1; bytes < 3000; bytes += 7) {
    char* a = static_cast<char*>(allocator->Allocate(bytes));
    char* b = static_cast<char*>(allocator->Allocate(bytes));
    EXPECT_TRUE(a + bytes <= b || b + bytes <= a);
    allocator->Deallocate(a, bytes);
    allocator->Deallocate(b, bytes);
  }
}

TEST(Tensor, TooLargeIsAnError) {
  const Shape shape{int64_t{1} << 39};
  EXPECT_ERROR(Tensor::Allocate(CpuAllocator(), DType::kDouble, shape), Code::kResourceExhausted,
               "out of memory");
}

TEST(Tensor, TooManyStringsAreAnError) {
  EXPECT_ERROR(Tensor::Allocate(CpuAllocator(), DType::kString, Shape{int64_t{1} << 40}),
               Code::kResourceExhausted, "out of memory allocating a string tensor");
}

// The system promises more than there is, each time anew.
TEST(Tensor, MakingManyStringsEndsWithTheStep) {
  const Status status = testing::StoppedAfter(2, [] {
    return Tensor::Allocate(CpuAllocator(), DType::kString, Shape{1 << 20}).status();
  });
  EXPECT_ERROR(status, Code::kCancelled, "enough");
}

TEST(Tensor, MoreThanTheMachineHasIsAnError) {
  constexpr size_t kBytes = size_t{1} << 29;  // a sanitiser refuses what is much larger
  const Shape shape{static_cast<int64_t>(kBytes)};
  std::vector<Tensor> tensors;
  Status status;
  for (size_t i = 0; i <= MemoryLimit() / kBytes && status.ok(); ++i) {
    Result<Tensor> tensor = Tensor::Allocate(CpuAllocator(), DType::kUint8, shape);
    status = tensor.status();
    if (tensor.ok()) tensors.push_back(*std::move(tensor));
  }
  EXPECT_ERROR(status, Code::kResourceExhausted, "out of memory");
  tensors.clear();
  EXPECT_OK(Tensor::Allocate(CpuAllocator(), DType::kUint8, shape));
}

TEST(Tensor, LittleMemoryStaysWhereItIs) {
  Tensor first = *Tensor::Allocate(CpuAllocator(), DType::kComplex128, Shape{});
  const Tensor second = *Tensor::Allocate(CpuAllocator(), DType::kFloat, Shape{4});
  EXPECT_TRUE(first.raw() != second.raw());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first.raw()) % 16, uintptr_t{0});
  std::memset(first.raw(), 7, 16);
  const void* const data = first.raw();
  const Tensor moved = std::move(first);
  EXPECT_TRUE(moved.raw() == data && moved.SoleOwner());
  EXPECT_EQ(moved.data<char>()[15], 7);
}

TEST(Tensor, SoleOwnerUntilShared) {
  Tensor tensor = Tensor::Vector<float>({1, 2, 3, 4});
  EXPECT_TRUE(tensor.SoleOwner());
  const Tensor shared = *tensor.Reshaped(Shape{2, 2});
  EXPECT_TRUE(!tensor.SoleOwner());
  EXPECT_EQ(shared.dim(1), 2);
  EXPECT_ERROR(tensor.Reshaped(Shape{3}), Code::kInvalidArgument, "cannot reshape");
}

TEST(Tensor, BorrowedMemoryIsReleasedOnceAndNeverHandedOn) {
  float values[2] = {1, 2};
  int released = 0;
  {
    std::shared_ptr<void> owner(values, [&released](void*) { ++released; });
    auto buffer = std::make_shared<Buffer>(values, sizeof(values), std::move(owner));
    Tensor tensor(DType::kFloat, Shape{2}, std::move(buffer));
    EXPECT_TRUE(!tensor.SoleOwner());
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST(Tensor, IntValuesAreForVectorsOfIntegers) {
  EXPECT_EQ((*Tensor::Vector<int32_t>({3, -1}).IntValues())[1], -1);
  EXPECT_ERROR(Tensor::Scalar(1.0f).IntValues(), Code::kInvalidArgument, "int32 or int64");
}

}  // namespace
}  // namespace tfbuild
