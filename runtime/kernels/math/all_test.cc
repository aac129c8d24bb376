#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

TEST(All, RowsAndColumns) {
  const Tensor x = MakeTensor<bool>({2, 3}, {1, 0, 1, 1, 0, 0});
  const Tensor first = Tensor::Vector<int32_t>({0});
  const Tensor second = Tensor::Vector<int32_t>({1});
  OpTest("All").Input(x).Input(first).Expect(MakeTensor<bool>({3}, {1, 0, 0})).Run();
  OpTest("Any").Input(x).Input(first).Expect(MakeTensor<bool>({3}, {1, 0, 1})).Run();
  OpTest("All").Input(x).Input(second).Expect(MakeTensor<bool>({2}, {0, 0})).Run();
  OpTest("Any").Input(x).Input(second).Attr("keep_dims", true)
      .Expect(MakeTensor<bool>({2, 1}, {1, 1})).Run();
}

TEST(All, OneAmongMany) {
  std::vector<double> values(100000, 1.0);
  const Tensor axis = Tensor::Vector<int32_t>({0});
  OpTest("All").Input(MakeTensor<bool>({100000}, values)).Input(axis)
      .Expect(MakeTensor<bool>({}, {1})).Run();
  values[77777] = 0;
  OpTest("All").Input(MakeTensor<bool>({100000}, values)).Input(axis)
      .Expect(MakeTensor<bool>({}, {0})).Run();
}

TEST(All, OfNothing) {
  const Tensor axis = Tensor::Vector<int32_t>({0});
  OpTest("All").Input(MakeTensor<bool>({0}, {})).Input(axis).Expect(MakeTensor<bool>({}, {1}))
      .Run();
  OpTest("Any").Input(MakeTensor<bool>({0}, {})).Input(axis).Expect(MakeTensor<bool>({}, {0}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
