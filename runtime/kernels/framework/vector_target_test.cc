#include "kernels/framework/vector_target.h"

#include <cstring>
#include <string>

#include "kernels/framework/element_inputs.h"
#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr VectorLevel kLevels[] = {VectorLevel::kEvery, VectorLevel::kAvx2, VectorLevel::kAvx512};

// The level while it lives; one that the processor lacks is left out by Has.
class AtLevel {
 public:
  explicit AtLevel(VectorLevel level) : before_(vector_level) { vector_level = level; }
  ~AtLevel() { vector_level = before_; }
  static bool Has(VectorLevel level) { return level <= BestVectorLevel(); }

 private:
  VectorLevel before_;
};

Tensor Floats(int64_t count, double scale) {
  std::vector<double> values = RandomValues(count, 5);
  for (double& value : values) value *= scale;
  return MakeTensor<float>({count}, values);
}

// Every level has its own machine code for each of these.
TEST(RunVectorised, EveryLevelHasAboutTheSameNumbers) {
  const Tensor x = Floats(5003, 20);
  const Tensor axes = Tensor::Vector<int32_t>({0});
  for (const char* op : {"Exp", "Expm1", "Log1p", "Sin", "Cos", "Tanh", "Sigmoid", "Softplus",
                         "Erf", "Relu", "Square", "Floor", "Softmax", "LogSoftmax"}) {
    const auto best = OpTest(op).Input(x).RunOnCpu();
    ASSERT_OK(best);
    for (const VectorLevel level : kLevels) {
      if (!AtLevel::Has(level)) continue;
      const AtLevel at(level);
      OpTest(op).Input(x).Expect((*best)[0]).Within(Ulps(4)).Run();
    }
  }
  for (const char* op : {"Sum", "Max", "Min", "Mean"}) {
    const auto best = OpTest(op).Input(x).Input(axes).RunOnCpu();
    ASSERT_OK(best);
    for (const VectorLevel level : kLevels) {
      if (!AtLevel::Has(level)) continue;
      const AtLevel at(level);
      OpTest(op).Input(x).Input(axes).Expect((*best)[0])
          .Within(Slack(2e-3, "5,003 terms of both signs cancel")).Run();
    }
  }
}

// What is written by hand for AVX-512 gives the bits of the loop for AVX2, in a rest as well.
TEST(RunVectorised, Avx512HasTheBitsOfAvx2) {
  if (!AtLevel::Has(VectorLevel::kAvx512)) SKIP_TEST("this processor has no AVX-512");
  for (const int64_t count : {5, 16, 5003}) {
    const Tensor x = Floats(count, 40);
    for (const char* op : {"Exp", "Log"}) {
      const auto best = OpTest(op).Input(x).RunOnCpu();
      ASSERT_OK(best);
      const AtLevel at(VectorLevel::kAvx2);
      const auto lower = OpTest(op).Input(x).RunOnCpu();
      ASSERT_OK(lower);
      for (int64_t i = 0; i < count; ++i) {
        const float ours = (*best)[0].data<float>()[i], other = (*lower)[0].data<float>()[i];
        EXPECT_TRUE(ours == other || (ours != ours && other != other));
      }
    }
  }
}

// An element's result does not depend on whether it lies in a vector or in the rest.
TEST(RunVectorised, NoElementDependsOnItsPlace) {
  const Tensor x = Floats(200, 6);
  for (const char* op : {"Exp", "Log1p", "Sin", "Tanh", "Erf", "Softplus"}) {
    const auto all = OpTest(op).Input(x).RunOnCpu();
    ASSERT_OK(all);
    for (const int64_t first : {1, 3, 17, 33, 190}) {
      std::vector<double> part = Values(x);
      part.erase(part.begin(), part.begin() + first);
      const Shape shape{200 - first};
      const auto some = OpTest(op).Input(MakeTensor<float>(shape, part)).RunOnCpu();
      ASSERT_OK(some);
      const size_t bytes = static_cast<size_t>(200 - first) * sizeof(float);
      EXPECT_EQ(std::memcmp((*some)[0].data<float>(), (*all)[0].data<float>() + first, bytes), 0);
    }
  }
}

// Neither does it depend, at any level, on whether steps of a chain are one loop (element_formula.h).
TEST(RunVectorised, EveryLevelJoinsStepsWithoutAChange) {
  const Tensor x = Floats(203, 6);
  const Tensor y = Floats(203, 0.3);
  const auto binary = [](const char* op, const Tensor& a, const Tensor& b) {
    const auto result = OpTest(op).Input(a).Input(b).RunOnCpu();
    EXPECT_OK(result);
    return (*result)[0];
  };
  for (const VectorLevel level : kLevels) {
    if (!AtLevel::Has(level)) continue;
    const AtLevel at(level);
    for (const std::string op : {"Erf", "Exp", "Sigmoid", "Softplus", "Tanh"}) {
      const auto inner = OpTest(op).Input(binary("Sub", binary("Mul", x, y), y)).RunOnCpu();
      ASSERT_OK(inner);
      OpTest chain("_ElementwiseChain");
      chain.Input(x).Input(y).Attr("N", int64_t{2}).Attr("T", DType::kFloat);
      chain.Attr("ops", std::vector<std::string>{"Mul", "Sub", op, "Mul", "Add"});
      chain.Attr("operands", std::vector<int64_t>{0, 1, 2, 1, 3, kNoOperand, 4, 1, 5, 0});
      chain.Expect(binary("Add", binary("Mul", (*inner)[0], y), x)).Within(Ulps(0)).Run();
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
