#include "kernels/control/tensor_array_user_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(TensorArray, KeepsWhatIsWritten) {
  for (Device* device : LocalDevices()) {
    ArrayUser array(2, false, device);
    const Tensor value = MakeTensor<float>({2}, {1, 2});
    ASSERT_OK(array.Write(1, value));
    EXPECT_EQ(array.Size(), 2);
    const auto read = array.Read(1);
    ASSERT_OK(read);
    ExpectClose(*read, value, Ulps(0));
  }
}

TEST(TensorArray, RefusesWhatIsNotThere) {
  for (Device* device : LocalDevices()) {
    ArrayUser array(2, false, device);
    const Tensor value = MakeTensor<float>({2}, {1, 2});
    EXPECT_ERROR(array.Read(0), Code::kInvalidArgument, "not been written");
    EXPECT_ERROR(array.Read(-1), Code::kInvalidArgument, "array size is: 2");
    EXPECT_ERROR(array.Write(2, value), Code::kInvalidArgument, "not resizeable");
    EXPECT_ERROR(array.Write(-1, value), Code::kInvalidArgument, "number -1");
    ASSERT_OK(array.Write(0, value));
    EXPECT_ERROR(array.Write(0, value), Code::kInvalidArgument, "already been written");
    ASSERT_OK(array.Read(0));
    EXPECT_ERROR(array.Read(0), Code::kInvalidArgument, "twice");
    ASSERT_OK(array.Close());
    EXPECT_ERROR(array.Read(0), Code::kInvalidArgument, "not a handle");
  }
}

TEST(TensorArray, GrowsWhenAsked) {
  ArrayUser array(0, true);
  ASSERT_OK(array.Write(3, MakeTensor<float>({1}, {1})));
  EXPECT_EQ(array.Size(), 4);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
