#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
void AddsSubtractsMultiplies() {
  const Tensor x = MakeTensor<T>({2, 2}, {1, 2, 3, 4});
  const Tensor y = MakeTensor<T>({2, 2}, {1, 2, 1, 3});
  OpTest("AddV2").Input(x).Input(y).Expect(MakeTensor<T>({2, 2}, {2, 4, 4, 7})).Run();
  OpTest("Sub").Input(x).Input(y).Expect(MakeTensor<T>({2, 2}, {0, 0, 2, 1})).Run();
  OpTest("Mul").Input(x).Input(y).Expect(MakeTensor<T>({2, 2}, {1, 4, 3, 12})).Run();
}

#define CASE(T) \
  AddsSubtractsMultiplies<T>();
TEST(Add, AllTypes) { TFBUILD_NUMBER_TYPES(CASE) }
#undef CASE

TEST(Add, UnderItsOldName) {
  const Tensor x = MakeTensor<uint8_t>({2}, {1, 255});
  OpTest("Add").Input(x).Input(x).Expect(MakeTensor<uint8_t>({2}, {2, 254})).Run();
}

TEST(Add, Scalars) {
  OpTest("AddV2")
      .Input(Tensor::Scalar(1.5f))
      .Input(Tensor::Scalar(2.0f))
      .Expect(Tensor::Scalar(3.5f))
      .Run();
}

TEST(Add, ScalarOnEitherSide) {
  const Tensor x = MakeTensor<float>({3}, {1, 2, 3});
  const Tensor ten = Tensor::Scalar(10.0f);
  OpTest("Sub").Input(x).Input(ten).Expect(MakeTensor<float>({3}, {-9, -8, -7})).Run();
  OpTest("Sub").Input(ten).Input(x).Expect(MakeTensor<float>({3}, {9, 8, 7})).Run();
}

TEST(Add, RowAndColumn) {
  const Tensor x = MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor row = MakeTensor<float>({3}, {10, 20, 30});
  const Tensor column = MakeTensor<float>({2, 1}, {100, 200});
  OpTest("Add").Input(x).Input(row).Expect(MakeTensor<float>({2, 3}, {11, 22, 33, 14, 25, 36}))
      .Run();
  OpTest("Sub").Input(column).Input(x)
      .Expect(MakeTensor<float>({2, 3}, {99, 98, 97, 196, 195, 194})).Run();
  OpTest("Add").Input(column).Input(row)
      .Expect(MakeTensor<float>({2, 3}, {110, 120, 130, 210, 220, 230})).Run();
}

// Each element is a number that names its operands: 100 * (index in x) + (index in y).
TEST(Add, BroadcastsInTheMiddle) {
  const Shape shape{2, 1, 3, 1};
  const Shape other{5, 1, 4};
  std::vector<double> x, y, sum;
  for (int i = 0; i < 6; ++i) x.push_back(100 * i);
  for (int i = 0; i < 20; ++i) y.push_back(i);
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 5; ++b) {
      for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 4; ++d) sum.push_back(100 * (a * 3 + c) + b * 4 + d);
      }
    }
  }
  OpTest("AddV2").Input(MakeTensor<int32_t>(shape, x)).Input(MakeTensor<int32_t>(other, y))
      .Expect(MakeTensor<int32_t>({2, 5, 3, 4}, sum)).Run();
}

// Large enough for several threads and pieces that begin in the middle of a row.
TEST(Add, LargeRows) {
  constexpr int64_t kRows = 301, kColumns = 517;
  std::vector<double> x, row, product;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    x.push_back(static_cast<double>(i % 1000));
    product.push_back(static_cast<double>((i % 1000) * (i % kColumns)));
  }
  for (int64_t i = 0; i < kColumns; ++i) row.push_back(static_cast<double>(i));
  OpTest("Mul").Input(MakeTensor<float>({kRows, kColumns}, x))
      .Input(MakeTensor<float>({kColumns}, row))
      .Expect(MakeTensor<float>({kRows, kColumns}, product)).Run();
}

// Several of them are computed at once; the last piece is shorter.
template <typename T>
void SubtractsShortRows(int64_t rows, int64_t columns) {
  std::vector<double> x, row, less, greater;
  for (int64_t i = 0; i < columns; ++i) row.push_back(static_cast<double>(i % 11));
  for (int64_t i = 0; i < rows * columns; ++i) {
    x.push_back(static_cast<double>(11 + i % 37));
    greater.push_back(x.back() - row[static_cast<size_t>(i % columns)]);
    less.push_back(-greater.back());
  }
  const Tensor many = MakeTensor<T>({rows, columns}, x);
  const Tensor one = MakeTensor<T>({1, columns}, row);
  const Shape shape{rows, columns};
  OpTest("Sub").Input(many).Input(one).Expect(MakeTensor<T>(shape, greater)).Run();
  OpTest("Sub").Input(one).Input(many).Expect(MakeTensor<T>(shape, less)).Run();
  OpTest("Less").Input(one).Input(many)
      .Expect(MakeTensor<bool>(shape, std::vector<double>(x.size(), 1))).Run();
}

TEST(Add, ShortRows) {
  for (const int64_t columns : {1, 2, 64, 1023, 1024, 1025}) {
    SubtractsShortRows<float>(2, columns);
    SubtractsShortRows<float>(4, columns);
    SubtractsShortRows<float>(301, columns);
    SubtractsShortRows<int8_t>(301, columns);
    SubtractsShortRows<Half>(9, columns);
    SubtractsShortRows<double>(9, columns);
  }
  SubtractsShortRows<float>(100003, 3);
}

TEST(Add, EmptyAgainstOne) {
  OpTest("Add").Input(MakeTensor<float>({0, 3}, {})).Input(MakeTensor<float>({1, 3}, {1, 2, 3}))
      .Expect(MakeTensor<float>({0, 3}, {})).Run();
}

TEST(Add, IntegersWrapAround) {
  OpTest("Add").Input(Tensor::Scalar<int32_t>(2147483647)).Input(Tensor::Scalar<int32_t>(1))
      .Expect(Tensor::Scalar<int32_t>(-2147483647 - 1)).Run();
  OpTest("Mul").Input(Tensor::Scalar<int16_t>(-32768)).Input(Tensor::Scalar<int16_t>(-1))
      .Expect(Tensor::Scalar<int16_t>(-32768)).Run();
}

TEST(Add, JoinsStrings) {
  const Result<std::vector<Tensor>> joined =
      OpTest("Add").Input(Tensor::Strings({2}, {"a", "b"})).Input(Tensor::Strings({}, {"-c"}))
          .RunOnCpu();
  ASSERT_OK(joined);
  EXPECT_EQ((*joined)[0].data<std::string>()[1], std::string("b-c"));
  const Result<std::vector<Tensor>> rows =
      OpTest("Add").Input(Tensor::Strings({4, 2}, {"a", "b", "c", "d", "e", "f", "g", "h"}))
          .Input(Tensor::Strings({2}, {"-i", std::string(100, 'j')})).RunOnCpu();
  ASSERT_OK(rows);
  EXPECT_EQ((*rows)[0].data<std::string>()[6], std::string("g-i"));
  EXPECT_EQ((*rows)[0].data<std::string>()[7], "h" + std::string(100, 'j'));
}

TEST(Add, RejectsShapesThatDoNotFit) {
  OpTest("Add").Input(MakeTensor<float>({2}, {1, 2})).Input(MakeTensor<float>({3}, {1, 2, 3}))
      .RunExpectingError(Code::kInvalidArgument, "cannot be broadcast");
}

TEST(SquaredDifference, IsTheSquare) {
  OpTest("SquaredDifference").Input(MakeTensor<Half>({3}, {1, 2, 5}))
      .Input(Tensor::Scalar(Half(2))).Expect(MakeTensor<Half>({3}, {1, 0, 9})).Run();
  OpTest("SquaredDifference").Input(MakeTensor<int64_t>({2}, {1, -4}))
      .Input(MakeTensor<int64_t>({2}, {3, 3})).Expect(MakeTensor<int64_t>({2}, {4, 49})).Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
