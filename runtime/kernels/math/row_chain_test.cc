// _RowChain, and the loops over rows that it is made of.
#include "kernels/framework/row_run.h"

#include <string>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ops = std::vector<std::string>;
using Operands = std::vector<int64_t>;

bool Reduces(const std::string& op) {
  return op == "Mean" || op == "Sum" || op == "Max" || op == "Min" || op == "Prod";
}

// What the ops give one after the other.
Tensor OneByOne(const Ops& ops, const Operands& operands, std::vector<Tensor> values,
                const std::string& result) {
  for (size_t k = 0; k < ops.size(); ++k) {
    OpTest op(ops[k]);
    op.Input(values[static_cast<size_t>(operands[2 * k])]);
    if (operands[2 * k + 1] != kNoOperand) op.Input(values[static_cast<size_t>(operands[2 * k + 1])]);
    if (Reduces(ops[k])) {
      op.Input(Tensor::Scalar<int32_t>(-1));
      op.Attr("keep_dims", k + 1 < ops.size() || result == "kept");
    }
    const auto one = op.RunOnCpu();
    EXPECT_OK(one);
    if (!one.ok()) return {};
    values.push_back((*one)[0]);
  }
  return values.back();
}

OpTest Chain(const Ops& ops, const Operands& operands, const std::vector<Tensor>& inputs,
             const std::string& result) {
  OpTest chain("_RowChain");
  for (const Tensor& input : inputs) chain.Input(input);
  chain.Attr("N", static_cast<int64_t>(inputs.size())).Attr("T", inputs[0].dtype());
  chain.Attr("ops", ops).Attr("operands", operands).Attr("result", result);
  return chain;
}

void Check(const Ops& ops, const Operands& operands, const std::vector<Tensor>& inputs,
           const std::string& result) {
  OpTest chain = Chain(ops, operands, inputs, result);
  chain.Expect(OneByOne(ops, operands, inputs, result)).Within(Ulps(0)).Run();
}

template <typename T = float>
Tensor Random(const Shape& shape, uint64_t seed = 1) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

// (x - mean) * rsqrt(variance + epsilon) * scale + offset; inputs x, epsilon, scale, offset.
const Ops kNorm = {"Mean", "SquaredDifference", "Mean", "AddV2", "Rsqrt", "Sub",
                   "Mul",  "Mul",               "AddV2"};
const Operands kNormOperands = {0, kNoOperand, 0, 4, 5, kNoOperand, 6, 1, 7, kNoOperand,
                                0, 4,          9, 8, 10, 2,         11, 3};

TEST(RowChain, GivesTheBitsOfItsOps) {
  // A row, fewer rows than are done together, as many, and worth several threads.
  for (const Shape& shape : {Shape{70}, Shape{1, 64}, Shape{3, 100}, Shape{64, 64}, Shape{65, 1024},
                             Shape{2, 3, 16384}, Shape{3000, 130}}) {
    const Shape row{shape.dim(shape.rank() - 1)};
    Check(kNorm, kNormOperands, {Random(shape), Tensor::Scalar<float>(1e-5f), Random(row, 2),
                                 Random(row, 3)}, "rows");
  }
}

// Products of what only they read are one loop, whatever their factors go along.
TEST(RowChain, JoinsProducts) {
  const std::vector<Tensor> inputs = {Random({6, 150}), Random({6, 1}, 2), Random({150}, 3),
                                      Tensor::Scalar<float>(0.7f), Random({6, 150}, 4)};
  constexpr int64_t kMean = 5;  // of the first input; the next step is 6
  for (const char* first : {"Sub", "AddV2", "Mul", "Maximum"}) {
    for (int64_t b = 0; b <= kMean; ++b) {
      for (int64_t c = 0; c <= kMean; ++c) {
        const int64_t d = (b + c) % (kMean + 1);
        Check({"Mean", first, "Mul", "Mul", "Mul"}, {0, kNoOperand, 4, b, 6, c, d, 7, 8, 2}, inputs,
              "rows");
        // One that somebody else reads as well, and one that is multiplied by itself.
        Check({"Mean", first, "Mul", "AddV2"}, {0, kNoOperand, 4, b, 6, c, 7, 6}, inputs, "rows");
        Check({"Mean", first, "Mul", "Mul"}, {0, kNoOperand, 4, b, 6, 6, 7, c}, inputs, "rows");
      }
    }
  }
}

// Squares of differences from one number for each row are added up as they are made; of others, or
// where somebody else reads them, they are made before.
TEST(RowChain, AddsUpSquares) {
  const Tensor x = Random({7, 1100});
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{7, 1}, Shape{1100}, Shape{7, 1100}}) {
    const Tensor y = Random(shape, 2);
    for (const char* sum : {"Sum", "Mean", "Max"}) {
      for (const char* result : {"kept", "reduced"}) {
        Check({"SquaredDifference", sum}, {0, 1, 2, kNoOperand}, {x, y}, result);
        Check({"SquaredDifference", sum}, {1, 0, 2, kNoOperand}, {x, y}, result);
      }
      Check({"SquaredDifference", sum, "Sub"}, {0, 1, 2, kNoOperand, 2, 3}, {x, y}, "rows");
    }
  }
  Check({"Mul", "Mean", "SquaredDifference", "Sum", "Div"},
        {0, 0, 1, kNoOperand, 1, 2, 3, kNoOperand, 1, 4}, {x}, "rows");
}

TEST(RowChain, KnowsAllTypes) {
  const auto check = [](auto one) {
    using T = decltype(one);
    Check(kNorm, kNormOperands, {Random<T>({9, 300}), MakeTensor<T>({}, {1e-3}),
                                 Random<T>({300}, 2), Random<T>({300}, 3)}, "rows");
  };
  check(double());
  check(Half());
  check(BFloat16());
}

TEST(RowChain, EndsInReductions) {
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"}) {
    for (const char* result : {"kept", "reduced"}) {
      Check({"Mul", op}, {0, 1, 2, kNoOperand}, {Random({5, 7, 80}), Random({5, 7, 80}, 2)}, result);
      // As many columns as rows: the row of factors has the shape of the result.
      Check({"Mul", op}, {1, 0, 2, kNoOperand}, {Random({80, 80}), Random({80}, 2)}, result);
    }
  }
  Check({"Square", "Sum", "Sqrt"}, {0, kNoOperand, 1, kNoOperand, 2, kNoOperand},
        {Random({40, 90})}, "kept");
}

TEST(RowChain, TakesInputsOfAllShapes) {
  // exp(x + y - max) * y
  const Ops ops = {"AddV2", "Max", "Sub", "Exp", "Mul"};
  const Operands operands = {0, 1, 2, kNoOperand, 2, 3, 4, kNoOperand, 5, 1};
  const Tensor x = Random({3, 4, 150});
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{150}, Shape{4, 150}, Shape{1, 1, 150},
                             Shape{4, 1}, Shape{3, 1, 1}, Shape{3, 4, 1}, Shape{3, 1, 150}}) {
    Check(ops, operands, {x, Random(shape, 2)}, "rows");
    Check(ops, operands, {Random(shape, 2), x}, "rows");
  }
  Check(ops, operands, {Random({0, 64}), Random({64})}, "rows");
  // Steps of single elements and of one element for each row.
  Check({"Neg", "AddV2", "Mul", "Mean", "Mul"},
        {1, kNoOperand, 3, 2, 0, 4, 5, kNoOperand, 6, 5},
        {x, Tensor::Scalar<float>(2), Random({3, 4, 1}, 3)}, "rows");
}

TEST(RowChain, RefusesWhatIsNoProgram) {
  const auto refused = [](const Ops& ops, const Operands& operands, const Shape& shape,
                          const std::string& result, const std::string& why) {
    Chain(ops, operands, {Random(shape)}, result).RunExpectingError(Code::kInvalidArgument, why);
  };
  refused({"MatMul"}, {0, 0}, {2, 2}, "rows", "is not elementwise and no reduction");
  refused({"Sum"}, {0, 0}, {2, 2}, "reduced", "wrong operands");
  refused({"Sum"}, {0, kNoOperand}, {}, "rows", "scalars have no rows");
  refused({"Sum"}, {0, kNoOperand}, {2, 2}, "rows", "one element for each row");
  refused({"Neg"}, {0, kNoOperand}, {2, 2}, "kept", "whole rows");
  refused({"Sum", "Sum"}, {0, kNoOperand, 1, kNoOperand}, {2, 2}, "reduced",
          "reduces what has one element");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
