#include "kernels/control/tensor_array_user_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TensorArrayScatter, WritesRowsThatGatherReads) {
  for (Device* device : LocalDevices()) {
    ArrayUser array(3, false, device);
    ASSERT_OK(array.Scatter(MakeTensor<int32_t>({2}, {2, 0}), MakeTensor<float>({2, 2}, {1, 2, 3, 4})));
    const auto gathered = array.Gather(MakeTensor<int32_t>({2}, {0, 2}));
    ASSERT_OK(gathered);
    ExpectClose(*gathered, MakeTensor<float>({2, 2}, {3, 4, 1, 2}), Ulps(0));
  }
}

TEST(TensorArrayScatter, RefusesRowsThatAreNotThere) {
  ArrayUser array(1, false);
  EXPECT_ERROR(array.Scatter(MakeTensor<int32_t>({2}, {0, 1}), MakeTensor<float>({1, 2}, {1, 2})),
               Code::kInvalidArgument, "has not 2 rows");
  EXPECT_ERROR(array.Scatter(MakeTensor<int32_t>({1}, {1}), MakeTensor<float>({1, 2}, {1, 2})),
               Code::kInvalidArgument, "not resizeable");
  EXPECT_ERROR(array.Gather(MakeTensor<int32_t>({0}, {})), Code::kInvalidArgument, "must be known");
}

TEST(TensorArrayGather, SharesVariants) {
  StepOps ops;
  const Tensor one = Tensor::Scalar<int32_t>(1);
  const auto made = ops.Call("TensorArrayV3", {one}, {{"dtype", DType::kVariant}});
  ASSERT_OK(made);
  Tensor value = *Tensor::Allocate(CpuAllocator(), DType::kVariant, Shape{});
  const Variant object = std::make_shared<VariantValue>();
  *value.mutable_data<Variant>() = object;
  const Tensor flow = Tensor::Scalar<float>(0);
  const Tensor handle = (*made)[0];
  ASSERT_OK(ops.Call("TensorArrayWriteV3", {handle, Tensor::Scalar<int32_t>(0), value, flow}, {}));
  const auto gathered = ops.Call("TensorArrayGatherV3",
                                 {handle, MakeTensor<int32_t>({1}, {0}), flow},
                                 {{"dtype", DType::kVariant}});
  ASSERT_OK(gathered);
  EXPECT_TRUE((*gathered)[0].data<Variant>()[0] == object);
  EXPECT_EQ(object.use_count(), 3L);  // here, in what was written and in what was gathered
}

TEST(TensorArrayGather, RefusesElementsOfSeveralShapes) {
  ArrayUser array(2, false);
  ASSERT_OK(array.Write(0, MakeTensor<float>({1}, {1})));
  ASSERT_OK(array.Write(1, MakeTensor<float>({2}, {1, 2})));
  EXPECT_ERROR(array.Gather(MakeTensor<int32_t>({2}, {0, 1})), Code::kInvalidArgument,
               "do not fit into one tensor");
}

TEST(TensorArrayGrad, AddsUpAndBeginsWithZeros) {
  for (Device* device : LocalDevices()) {
    ArrayUser array(2, false, device);
    const Tensor value = MakeTensor<float>({2}, {1, 2});
    ASSERT_OK(array.Write(0, value));
    ASSERT_OK(array.Write(1, value));
    ASSERT_OK(array.BecomeGradient());
    ASSERT_OK(array.Write(0, value));
    ASSERT_OK(array.Write(0, value));
    ExpectClose(*array.Read(0), MakeTensor<float>({2}, {2, 4}), Ulps(0));
    ExpectClose(*array.Read(1), MakeTensor<float>({2}, {0, 0}), Ulps(0));
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
