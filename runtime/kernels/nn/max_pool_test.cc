#include "testing/pool_reference.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

template <typename T>
Tensor Numbers(const Shape& shape, uint64_t seed) {
  // Few different numbers, so that there are ties.
  return MakeTensor<T>(shape, RandomIntegers(shape.num_elements(), seed, 5));
}

template <typename T>
void Check(const PoolCase& c) {
  const Tensor input = Numbers<T>(c.Input(), 1);
  const Tensor gradient = Numbers<T>(c.Output(), 2);
  const std::vector<double> x = Values(input);
  const std::vector<double> g = Values(gradient);
  std::vector<double> max(g.size(), 0.0);
  std::vector<double> dx(x.size(), 0.0);
  c.ForEachWindow([&](size_t output, const std::vector<size_t>& covered) {
    size_t best = covered[0];
    for (const size_t i : covered) best = x[i] > x[best] ? i : best;
    max[output] = x[best];
    dx[best] += g[output];
  });
  const Tensor pooled = MakeTensor<T>(c.Output(), max);
  OpTest forward("MaxPool");
  c.SetAttrs(&forward);
  forward.Input(input).Expect(pooled).Within(Ulps(0)).Run();
  OpTest backward("MaxPoolGrad");
  c.SetAttrs(&backward);
  backward.Input(input).Input(pooled).Input(gradient);
  backward.Expect(MakeTensor<T>(c.Input(), dx)).Within(Ulps(0)).Run();
}

template <typename T>
void CheckAll() {
  for (const PoolCase& c : PoolCases()) Check<T>(c);
}

TEST(MaxPool, Float) { CheckAll<float>(); }
TEST(MaxPool, Double) { CheckAll<double>(); }
TEST(MaxPool, Half) { CheckAll<Half>(); }
TEST(MaxPool, BFloat16) { CheckAll<BFloat16>(); }
TEST(MaxPool, Int32) { CheckAll<int32_t>(); }

TEST(MaxPool, ExplicitPadding) {
  OpTest("MaxPool")
      .Input(MakeTensor<float>({1, 2, 2, 1}, {-1, -2, -3, -4}))
      .Attr("ksize", std::vector<int64_t>{1, 2, 2, 1})
      .Attr("strides", std::vector<int64_t>{1, 2, 2, 1})
      .Attr("padding", std::string("EXPLICIT"))
      .Attr("explicit_paddings", std::vector<int64_t>{0, 0, 1, 1, 1, 1, 0, 0})
      .Expect(MakeTensor<float>({1, 2, 2, 1}, {-1, -2, -3, -4}))
      .Run();
}

// Wherever in its window a NaN is, it is the maximum and takes the gradient; of two the first.
template <typename T>
void CheckNaN() {
  for (size_t at = 0; at < 4; ++at) {
    std::vector<double> x = {1, 5, -3, 4};
    std::vector<double> dx = {0, 0, 0, 0};
    x[at] = NAN;
    dx[at] = 2;
    for (const bool twice : {false, true}) {
      if (twice) x[3] = NAN;
      const auto window = [](OpTest* test) {
        test->Attr("ksize", std::vector<int64_t>{1, 2, 2, 1});
        test->Attr("strides", std::vector<int64_t>{1, 2, 2, 1});
        test->Attr("padding", std::string("VALID"));
      };
      // Alone and in a vector.
      for (const int64_t channels : {1, 70}) {
        const auto image = [channels](int64_t side, const std::vector<double>& values) {
          std::vector<double> numbers;
          for (const double value : values) numbers.insert(numbers.end(), channels, value);
          return MakeTensor<T>({1, side, side, channels}, numbers);
        };
        const Tensor in = image(2, x);
        const Tensor out = image(1, {NAN});
        OpTest forward("MaxPool");
        window(&forward);
        forward.Input(in).Expect(out).Run();
        OpTest backward("MaxPoolGrad");
        window(&backward);
        backward.Input(in).Input(out).Input(image(1, {2})).Expect(image(2, dx)).Run();
      }
    }
  }
}

TEST(MaxPool, NaNWhereverItIs) {
  CheckNaN<float>();
  CheckNaN<double>();
  CheckNaN<Half>();
  CheckNaN<BFloat16>();
}

TEST(MaxPool, RejectsPaddingThatFillsAWindow) {
  OpTest("MaxPool")
      .Input(MakeTensor<float>({1, 2, 2, 1}, {-1, -2, -3, -4}))
      .Attr("ksize", std::vector<int64_t>{1, 2, 2, 1})
      .Attr("strides", std::vector<int64_t>{1, 2, 2, 1})
      .Attr("padding", std::string("EXPLICIT"))
      .Attr("explicit_paddings", std::vector<int64_t>{0, 0, 2, 0, 0, 0, 0, 0})
      .RunExpectingError(Code::kInvalidArgument, "smaller than the window");
}

TEST(MaxPool, EmptyBatch) {
  PoolCase c;
  c.batch = 0;
  Check<float>(c);
}

TEST(MaxPool, RejectsWindowsOverChannels) {
  OpTest("MaxPool")
      .Input(MakeTensor<float>({1, 1, 1, 2}, {1, 2}))
      .Attr("ksize", std::vector<int64_t>{1, 1, 1, 2})
      .Attr("strides", std::vector<int64_t>{1, 1, 1, 2})
      .Attr("padding", std::string("VALID"))
      .RunExpectingError(Code::kUnimplemented, "channel");
}

TEST(MaxPool, RejectsWindowLargerThanInput) {
  PoolCase c;
  c.rows = 12;
  c.padding = "VALID";
  OpTest test("MaxPool");
  c.SetAttrs(&test);
  test.Input(Numbers<float>(c.Input(), 1)).RunExpectingError(Code::kInvalidArgument, "negative");
}

TEST(MaxPoolGrad, RejectsGradientOfAnotherShape) {
  const PoolCase c;
  OpTest test("MaxPoolGrad");
  c.SetAttrs(&test);
  test.Input(Numbers<float>(c.Input(), 1)).Input(Numbers<float>(c.Output(), 1));
  test.Input(Numbers<float>({1, 1, 1, 1}, 1)).RunExpectingError(Code::kInvalidArgument, "grad");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
