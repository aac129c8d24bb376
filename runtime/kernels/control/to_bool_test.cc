#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

void ExpectTruth(Tensor value, bool truth) {
  OpTest("ToBool").Input(std::move(value)).Expect(Tensor::Scalar<bool>(truth)).Run();
}

TEST(ToBool, OfScalarsIsWhetherTheyAreZeroOrEmpty) {
  ExpectTruth(Tensor::Scalar<bool>(true), true);
  ExpectTruth(Tensor::Scalar<int32_t>(0), false);
  ExpectTruth(Tensor::Scalar<int64_t>(int64_t{1} << 40), true);
  ExpectTruth(Tensor::Scalar<double>(1e-300), true);
  ExpectTruth(Tensor::Scalar<float>(-0.0f), false);
  ExpectTruth(Tensor::Strings({}, {""}), false);
  ExpectTruth(Tensor::Strings({}, {"no"}), true);
}

TEST(ToBool, OfArraysIsWhetherTheyHaveElements) {
  ExpectTruth(MakeTensor<float>({0}, {}), false);
  ExpectTruth(MakeTensor<float>({1}, {0}), true);
  ExpectTruth(MakeTensor<bool>({1, 1}, {0}), true);
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
