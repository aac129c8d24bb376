// Expected numbers are TensorFlow's.
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

// Five steps of two sequences with four classes.
Tensor Inputs() {
  return MakeTensor<float>({5, 2, 4}, {-0.889999986, -2.92000008, -0.970000029, -0.589999974,
      -0.519999981, -0.959999979, 0.379999995, -0.569999993, -0.109999999, 0.680000007,
      -0.860000014, -0.300000012, 2.16000009, 0.870000005, -1.28999996, -0.0799999982, 0.560000002,
      1.23000002, 0.150000006, -0.529999971, -0.730000019, 0.649999976, 0.310000002, -0.519999981,
      -0.189999998, -0.419999987, 0.720000029, -0.689999998, 0.49000001, 0.850000024, 0.49000001,
      -0.829999983, 1.34000003, -0.680000007, 0.430000007, -0.75, -1.74000001, 0.230000004,
      0.289999992, -0.0799999982});
}

TEST(CtcGreedyDecoder, Plain) {
  OpTest("CTCGreedyDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Expect(MakeTensor<int64_t>({7, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1, 1, 2}))
      .Expect(MakeTensor<int64_t>({7}, {1, 1, 2, 0, 2, 0, 1}))
      .Expect(MakeTensor<int64_t>({2}, {2, 4}))
      .Expect(MakeTensor<float>({2, 1}, {-3.38000011, -3.19000006}))
      .Run();
}

TEST(CtcGreedyDecoder, Merged) {
  OpTest("CTCGreedyDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("merge_repeated", true)
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}))
      .Expect(MakeTensor<int64_t>({6}, {1, 2, 0, 2, 0, 1}))
      .Expect(MakeTensor<int64_t>({2}, {2, 3}))
      .Expect(MakeTensor<float>({2, 1}, {-3.38000011, -3.19000006}))
      .Run();
}

TEST(CtcGreedyDecoder, Blank) {
  OpTest("CTCGreedyDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("blank_index", int64_t{0})
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1}))
      .Expect(MakeTensor<int64_t>({6}, {3, 1, 1, 2, 2, 1}))
      .Expect(MakeTensor<int64_t>({2}, {2, 4}))
      .Expect(MakeTensor<float>({2, 1}, {-3.38000011, -3.19000006}))
      .Run();
}

TEST(CtcGreedyDecoder, Malformed) {
  OpTest("CTCGreedyDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 6}))
      .RunExpectingError(Code::kFailedPrecondition, "sequence_length(1)");
  OpTest("CTCGreedyDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("blank_index", int64_t{9})
      .RunExpectingError(Code::kInvalidArgument, "blank_index");
  OpTest("CTCGreedyDecoder")
      .Input(MakeTensor<float>({0, 2, 4}, {}))
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .RunExpectingError(Code::kInvalidArgument, "max_time is 0");
}

TEST(CtcBeamSearchDecoder, Plain) {
  OpTest("CTCBeamSearchDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("beam_width", int64_t{6})
      .Attr("top_paths", int64_t{3})
      .Attr("merge_repeated", false)
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2}))
      .Expect(MakeTensor<int64_t>({6, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1}))
      .Expect(MakeTensor<int64_t>({5, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2}))
      .Expect(MakeTensor<int64_t>({6}, {1, 2, 0, 2, 0, 1}))
      .Expect(MakeTensor<int64_t>({6}, {0, 1, 2, 0, 0, 1}))
      .Expect(MakeTensor<int64_t>({5}, {1, 0, 2, 0, 2}))
      .Expect(MakeTensor<int64_t>({2}, {2, 3}))
      .Expect(MakeTensor<int64_t>({2}, {2, 4}))
      .Expect(MakeTensor<int64_t>({2}, {2, 3}))
      .Expect(MakeTensor<float>({2, 3}, {-2.76292276, -2.86604619, -2.87851906, -1.88781834,
          -2.0662353, -2.22781849}))
      .Within(Slack(2e-6, "TensorFlow computes in float"))
      .Run();
}

TEST(CtcBeamSearchDecoder, Merged) {
  OpTest("CTCBeamSearchDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("beam_width", int64_t{4})
      .Attr("top_paths", int64_t{2})
      .Attr("merge_repeated", true)
      .Expect(MakeTensor<int64_t>({7, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 1, 0, 1, 1, 1, 2}))
      .Expect(MakeTensor<int64_t>({5, 2}, {0, 0, 0, 1, 0, 2, 1, 0, 1, 1}))
      .Expect(MakeTensor<int64_t>({7}, {0, 1, 2, 0, 2, 0, 1}))
      .Expect(MakeTensor<int64_t>({5}, {0, 1, 2, 0, 1}))
      .Expect(MakeTensor<int64_t>({2}, {2, 4}))
      .Expect(MakeTensor<int64_t>({2}, {2, 3}))
      .Expect(MakeTensor<float>({2, 2}, {-2.86604619, -3.1095953, -1.88781834, -2.0662353}))
      .Within(Slack(2e-6, "TensorFlow computes in float"))
      .Run();
}

TEST(CtcBeamSearchDecoder, Malformed) {
  OpTest("CTCBeamSearchDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {5, 3}))
      .Attr("beam_width", int64_t{2})
      .Attr("top_paths", int64_t{3})
      .RunExpectingError(Code::kInvalidArgument, "more paths");
  OpTest("CTCBeamSearchDecoder")
      .Input(Inputs())
      .Input(MakeTensor<int32_t>({2}, {0, 0}))
      .Attr("beam_width", int64_t{4})
      .Attr("top_paths", int64_t{2})
      .RunExpectingError(Code::kInvalidArgument, "Less leaves");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
