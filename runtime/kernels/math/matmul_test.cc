#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

struct Case {
  int64_t m, k, n;
  bool transpose_a, transpose_b;
};

// The product by its definition, in double.
std::vector<double> Product(const Case& c, const std::vector<double>& a,
                            const std::vector<double>& b) {
  std::vector<double> product(static_cast<size_t>(c.m * c.n), 0.0);
  for (int64_t i = 0; i < c.m; ++i) {
    for (int64_t j = 0; j < c.n; ++j) {
      for (int64_t p = 0; p < c.k; ++p) {
        const double x = a[static_cast<size_t>(c.transpose_a ? p * c.m + i : i * c.k + p)];
        const double y = b[static_cast<size_t>(c.transpose_b ? j * c.k + p : p * c.n + j)];
        product[static_cast<size_t>(i * c.n + j)] += x * y;
      }
    }
  }
  return product;
}

template <typename T>
void Check(const Case& c, double slack, bool whole = std::is_integral_v<T>) {
  const auto draw = [whole](int64_t count, uint64_t seed) {
    return whole ? RandomIntegers(count, seed, 9) : RandomValues(count, seed);
  };
  const Shape a_shape = c.transpose_a ? Shape{c.k, c.m} : Shape{c.m, c.k};
  const Shape b_shape = c.transpose_b ? Shape{c.n, c.k} : Shape{c.k, c.n};
  const Tensor a = MakeTensor<T>(a_shape, draw(c.m * c.k, 1));
  const Tensor b = MakeTensor<T>(b_shape, draw(c.k * c.n, 2));
  OpTest("MatMul")
      .Input(a)
      .Input(b)
      .Attr("transpose_a", c.transpose_a)
      .Attr("transpose_b", c.transpose_b)
      .Expect(MakeTensor<T>({c.m, c.n}, Product(c, Values(a), Values(b))))
      .Within(Slack(slack, kCancel))
      .Run();
}

// Sizes on both sides of the switch between sgemm and matmul, and vectors.
template <typename T>
void CheckAllSizes(double slack) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      Check<T>({1, 1, 1, transpose_a, transpose_b}, slack);
      Check<T>({3, 5, 7, transpose_a, transpose_b}, slack);
      Check<T>({1, 300, 17, transpose_a, transpose_b}, slack);
      Check<T>({19, 300, 1, transpose_a, transpose_b}, slack);
      Check<T>({90, 133, 121, transpose_a, transpose_b}, slack);
    }
  }
}

TEST(MatMul, Float) { CheckAllSizes<float>(1e-4); }
// The sums of so many positive terms grow until each term loses places; runs keep most of them.
TEST(MatMul, LongSumsKeepTheirPlaces) {
  constexpr int64_t kDepth = 5000;
  for (const bool transpose : {false, true}) {
    const Case c{16, kDepth, 48, transpose, transpose};
    std::vector<double> a = RandomValues(16 * kDepth, 1), b = RandomValues(kDepth * 48, 2);
    for (double& value : a) value = static_cast<double>(static_cast<float>(std::abs(value)));
    for (double& value : b) value = static_cast<double>(static_cast<float>(std::abs(value)));
    OpTest("MatMul")
        .Input(MakeTensor<float>(transpose ? Shape{kDepth, 16} : Shape{16, kDepth}, a))
        .Input(MakeTensor<float>(transpose ? Shape{48, kDepth} : Shape{kDepth, 48}, b))
        .Attr("transpose_a", transpose)
        .Attr("transpose_b", transpose)
        .Expect(MakeTensor<float>({16, 48}, Product(c, a, b)))
        .Within(Ulps(12))
        .Run();
  }
}

TEST(MatMul, Double) { CheckAllSizes<double>(1e-12); }
TEST(MatMul, Half) { CheckAllSizes<Half>(1e-2); }
TEST(MatMul, BFloat16) { CheckAllSizes<BFloat16>(5e-2); }
TEST(MatMul, Int32) { CheckAllSizes<int32_t>(0); }
TEST(MatMul, Int64) { CheckAllSizes<int64_t>(0); }

TEST(MatMul, IntegersWrap) {
  OpTest("MatMul")
      .Input(MakeTensor<int32_t>({1, 1}, {65536}))
      .Input(MakeTensor<int32_t>({1, 1}, {65537}))
      .Expect(MakeTensor<int32_t>({1, 1}, {65536}))
      .Run();
}

TEST(MatMul, NoInnerDimensionGivesZeros) {
  OpTest("MatMul")
      .Input(MakeTensor<float>({2, 0}, {}))
      .Input(MakeTensor<float>({0, 3}, {}))
      .Expect(MakeTensor<float>({2, 3}, {0, 0, 0, 0, 0, 0}))
      .Run();
}

TEST(MatMul, NoRows) {
  OpTest("MatMul")
      .Input(MakeTensor<float>({0, 2}, {}))
      .Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Expect(MakeTensor<float>({0, 3}, {}))
      .Run();
}

TEST(MatMul, RejectsWhatDoesNotFit) {
  OpTest("MatMul")
      .Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .Input(MakeTensor<float>({2, 3}, {1, 2, 3, 4, 5, 6}))
      .RunExpectingError(Code::kInvalidArgument, "inner dimensions");
}

TEST(MatMul, RejectsVectors) {
  OpTest("MatMul")
      .Input(MakeTensor<float>({2}, {1, 2}))
      .Input(MakeTensor<float>({2, 1}, {1, 2}))
      .RunExpectingError(Code::kInvalidArgument, "rank 2");
}

TEST(MatMul, OfManyPartsIsExactOverWholeNumbers) {
  // More work than one thread is asked for, and parts that are cut off at the edges.
  for (const bool turned : {false, true}) {
    const Case c{300, 71, 531, turned, turned};
    Check<float>(c, 0, true);
  }
}

TEST(MatMulChain, GivesTheBitsOfItsOps) {
  for (const Shape& shape : {Shape{3, 5}, Shape{200, 60}, Shape{300, 531}}) {
    const Tensor a = MakeTensor<float>({shape.dim(0), 71}, RandomValues(shape.dim(0) * 71, 1));
    const Tensor b = MakeTensor<float>({71, shape.dim(1)}, RandomValues(shape.dim(1) * 71, 2));
    const Tensor bias = MakeTensor<float>({shape.dim(1)}, RandomValues(shape.dim(1), 3));
    const Tensor product = (*OpTest("MatMul").Input(a).Input(b).RunOnCpu())[0];
    const Tensor sum = (*OpTest("AddV2").Input(product).Input(bias).RunOnCpu())[0];
    OpTest("_MatMulChain")
        .Input(a)
        .Input(b)
        .Input(bias)
        .Attr("N", int64_t{1})
        .Attr("ops", std::vector<std::string>{"AddV2", "Tanh"})
        .Attr("operands", std::vector<int64_t>{0, 1, 2, -1})
        .Expect((*OpTest("Tanh").Input(sum).RunOnCpu())[0])
        .Within(Ulps(0))
        .Run();
  }
}

TEST(MatMulChain, GrowsWithWhatIsLarger) {
  OpTest("_MatMulChain")
      .Input(MakeTensor<float>({1, 2}, {1, 2}))
      .Input(MakeTensor<float>({2, 1}, {3, 4}))
      .Input(MakeTensor<float>({2, 1}, {10, 20}))
      .Attr("N", int64_t{1})
      .Attr("ops", std::vector<std::string>{"Sub"})
      .Attr("operands", std::vector<int64_t>{0, 1})
      .Expect(MakeTensor<float>({2, 1}, {1, -9}))
      .Run();
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
