// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(DepthToSpace, ChannelsLast) {
  OpTest("DepthToSpace")
      .Input(MakeTensor<float>({1, 2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15}))
      .Attr("block_size", int64_t{2})
      .Expect(MakeTensor<float>({1, 4, 4, 1}, {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14,
          15}))
      .Run();
}

TEST(SpaceToDepth, ChannelsLast) {
  OpTest("SpaceToDepth")
      .Input(MakeTensor<int32_t>({1, 2, 4, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15}))
      .Attr("block_size", int64_t{2})
      .Expect(MakeTensor<int32_t>({1, 1, 2, 8}, {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14,
          15}))
      .Run();
}

TEST(SpaceToDepth, ChannelsFirst) {
  OpTest("SpaceToDepth")
      .Input(MakeTensor<double>({1, 2, 2, 4}, {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
          10.0, 11.0, 12.0, 13.0, 14.0, 15.0}))
      .Attr("block_size", int64_t{2})
      .Attr("data_format", std::string("NCHW"))
      .Expect(MakeTensor<double>({1, 8, 1, 2}, {0.0, 2.0, 8.0, 10.0, 1.0, 3.0, 9.0, 11.0, 4.0,
          6.0, 12.0, 14.0, 5.0, 7.0, 13.0, 15.0}))
      .Run();
}

TEST(DepthToSpace, ChannelsFirst) {
  OpTest("DepthToSpace")
      .Input(MakeTensor<double>({1, 8, 1, 2}, {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
          10.0, 11.0, 12.0, 13.0, 14.0, 15.0}))
      .Attr("block_size", int64_t{2})
      .Attr("data_format", std::string("NCHW"))
      .Expect(MakeTensor<double>({1, 2, 2, 4}, {0.0, 4.0, 1.0, 5.0, 8.0, 12.0, 9.0, 13.0, 2.0,
          6.0, 3.0, 7.0, 10.0, 14.0, 11.0, 15.0}))
      .Run();
}

TEST(DepthToSpace, Malformed) {
  OpTest("DepthToSpace")
      .Input(MakeTensor<float>({1, 2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15}))
      .Attr("block_size", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "divisible");
  OpTest("SpaceToDepth")
      .Input(MakeTensor<float>({1, 2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15}))
      .Attr("block_size", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "divisible");
  OpTest("SpaceToDepth")
      .Input(MakeTensor<float>({1, 2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
          15}))
      .Attr("block_size", int64_t{2})
      .Attr("data_format", std::string("NCHW_VECT_C"))
      .RunExpectingError(Code::kUnimplemented, "NCHW_VECT_C");
  OpTest("SpaceToDepth")
      .Input(MakeTensor<float>({2, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}))
      .Attr("block_size", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "rank");
  OpTest("DepthToSpace")
      .Input(MakeTensor<float>({0, 1, 1, 1}, {}))
      .Attr("block_size", int64_t{1} << 32)
      .RunExpectingError(Code::kInvalidArgument, "too large");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
