// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(Bitcast, SameSize) {
  OpTest("Bitcast")
      .Input(MakeTensor<float>({2}, {1, -2}))
      .Attr("type", DTypeOf<int32_t>::value)
      .Expect(MakeTensor<int32_t>({2}, {1065353216, -1073741824}))
      .Run();
}

TEST(Bitcast, Narrower) {
  OpTest("Bitcast")
      .Input(MakeTensor<int32_t>({2}, {1, 258}))
      .Attr("type", DTypeOf<uint8_t>::value)
      .Expect(MakeTensor<uint8_t>({2, 4}, {1, 0, 0, 0, 2, 1, 0, 0}))
      .Run();
}

TEST(Bitcast, Wider) {
  OpTest("Bitcast")
      .Input(MakeTensor<uint8_t>({2, 4}, {1, 0, 0, 0, 0, 1, 0, 0}))
      .Attr("type", DTypeOf<int32_t>::value)
      .Expect(MakeTensor<int32_t>({2}, {1, 256}))
      .Run();
}

TEST(Bitcast, Malformed) {
  OpTest("Bitcast")
      .Input(MakeTensor<uint8_t>({3}, {1, 2, 3}))
      .Attr("type", DTypeOf<int32_t>::value)
      .RunExpectingError(Code::kInvalidArgument, "last dimension");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
