#include "testing/pool_reference.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

const char kCancel[] = "terms of both signs cancel";

template <typename T>
Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

Tensor Int32s(const Shape& shape) {
  return Tensor::Vector<int32_t>({shape.dims().begin(), shape.dims().end()});
}

template <typename T>
void Check(const PoolCase& c, double slack) {
  const Tensor input = Numbers<T>(c.Input(), 1);
  const Tensor gradient = Numbers<T>(c.Output(), 2);
  const std::vector<double> x = Values(input);
  const std::vector<double> g = Values(gradient);
  std::vector<double> mean(g.size(), 0.0);
  std::vector<double> dx(x.size(), 0.0);
  c.ForEachWindow([&](size_t output, const std::vector<size_t>& covered) {
    for (const size_t i : covered) {
      mean[output] += x[i] / static_cast<double>(covered.size());
      dx[i] += g[output] / static_cast<double>(covered.size());
    }
  });
  OpTest forward("AvgPool");
  c.SetAttrs(&forward);
  forward.Input(input).Expect(MakeTensor<T>(c.Output(), mean)).Within(Slack(slack, kCancel)).Run();
  OpTest backward("AvgPoolGrad");
  c.SetAttrs(&backward);
  backward.Input(Int32s(c.Input())).Input(gradient);
  backward.Expect(MakeTensor<T>(c.Input(), dx)).Within(Slack(slack, kCancel)).Run();
}

template <typename T>
void CheckAll(double slack) {
  for (const PoolCase& c : PoolCases()) Check<T>(c, slack);
}

TEST(AvgPool, Float) { CheckAll<float>(1e-6); }
TEST(AvgPool, Double) { CheckAll<double>(1e-14); }
TEST(AvgPool, Half) { CheckAll<Half>(2e-3); }
TEST(AvgPool, BFloat16) { CheckAll<BFloat16>(1e-2); }

TEST(AvgPool, EmptyBatch) {
  PoolCase c;
  c.batch = 0;
  Check<float>(c, 0);
}

TEST(AvgPool, RejectsVectors) {
  const PoolCase c;
  OpTest test("AvgPool");
  c.SetAttrs(&test);
  test.Input(Numbers<float>({4}, 1)).RunExpectingError(Code::kInvalidArgument, "rank 4");
}

TEST(AvgPoolGrad, RejectsGradientOfAnotherShape) {
  const PoolCase c;
  OpTest test("AvgPoolGrad");
  c.SetAttrs(&test);
  test.Input(Int32s(c.Input())).Input(Numbers<float>({1, 1, 1, 1}, 1));
  test.RunExpectingError(Code::kInvalidArgument, "grad");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
