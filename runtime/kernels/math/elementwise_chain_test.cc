// _ElementwiseChain, and the program and tiles that it and the chains behind products are made of.
#include "kernels/framework/chain_steps.h"

#include <cmath>
#include <string>

#include "kernels/framework/element_formula.h"

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ops = std::vector<std::string>;
using Operands = std::vector<int64_t>;

// What the ops give one after the other on that device.
Tensor OneByOne(const Ops& ops, const Operands& operands, std::vector<Tensor> values,
                Device* device) {
  for (size_t k = 0; k < ops.size(); ++k) {
    OpTest op(ops[k]);
    op.Input(values[static_cast<size_t>(operands[2 * k])]);
    if (operands[2 * k + 1] != kNoOperand) op.Input(values[static_cast<size_t>(operands[2 * k + 1])]);
    const auto result = op.RunOn(device);
    EXPECT_OK(result);
    if (!result.ok()) return {};
    values.push_back((*result)[0]);
  }
  return values.back();
}

OpTest Chain(const Ops& ops, const Operands& operands, const std::vector<Tensor>& inputs) {
  OpTest chain("_ElementwiseChain");
  for (const Tensor& input : inputs) chain.Input(input);
  chain.Attr("N", static_cast<int64_t>(inputs.size())).Attr("T", inputs[0].dtype());
  chain.Attr("ops", ops).Attr("operands", operands);
  return chain;
}

// Each device's chain has the bits of its own ops. GPUs have none of doubles and integers, nor where
// too much must be kept.
void Check(const Ops& ops, const Operands& operands, const std::vector<Tensor>& inputs) {
  const DType dtype = inputs[0].dtype();
  const bool has_gpu_kernel = dtype != DType::kDouble && dtype != DType::kInt32 &&
                              PlanChainSteps(ops, operands, static_cast<int>(inputs.size()));
  for (Device* device : LocalDevices()) {
    if (device->type() == DeviceType::kGpu && !has_gpu_kernel) continue;
    const auto result = Chain(ops, operands, inputs).RunOn(device);
    ASSERT_OK(result);
    ExpectClose((*result)[0], OneByOne(ops, operands, inputs, device), Ulps(0));
  }
}

template <typename T = float>
Tensor Random(const Shape& shape, uint64_t seed = 1) {
  return MakeTensor<T>(shape, RandomValues(shape.num_elements(), seed));
}

TEST(ElementwiseChain, GivesTheBitsOfItsOps) {
  // Shorter than a tile, as long, longer, and worth several threads.
  for (const int64_t count : {1, 7, 1024, 5000, 400001}) {
    const Tensor x = Random({count});
    const Tensor y = Random({count}, 2);
    Check({"Mul", "Tanh", "AddV2", "Sub"}, {0, 1, 2, kNoOperand, 3, 0, 3, 4}, {x, y});
  }
}

TEST(ElementwiseChain, KnowsAllTypes) {
  Check({"Mul", "Neg"}, {0, 0, 1, kNoOperand}, {Random<double>({2000})});
  Check({"Mul", "Exp"}, {0, 0, 1, kNoOperand}, {Random<Half>({2000})});
  Check({"Mul", "Exp"}, {0, 0, 1, kNoOperand}, {Random<BFloat16>({2000})});
  Check({"Mul", "Maximum"}, {0, 0, 1, 0}, {MakeTensor<int32_t>({4}, {1, -2, 3, 0})});
}

TEST(ElementwiseChain, BroadcastsRowsColumnsAndAllElse) {
  const Ops ops = {"AddV2", "Sigmoid", "Mul"};
  const Operands operands = {0, 1, 2, kNoOperand, 3, 0};
  const Tensor x = Random({3, 4, 1500});
  for (const Shape& shape : {Shape{}, Shape{1}, Shape{1500}, Shape{4, 1500}, Shape{1, 1, 1500},
                             Shape{4, 1}, Shape{3, 1, 1}, Shape{3, 4, 1}, Shape{3, 1, 1500}}) {
    Check(ops, operands, {x, Random(shape, 2)});
    Check(ops, operands, {Random(shape, 2), x});
  }
  const Tensor small = Random({5, 2, 3});
  for (const Shape& shape : {Shape{3}, Shape{2, 3}, Shape{2, 1}, Shape{5, 1, 3}, Shape{5, 2, 1}}) {
    Check(ops, operands, {small, Random(shape, 2)});
  }
  Check(ops, operands, {Random({3, 1}), Random({1, 2000})});
  Check(ops, operands, {Random({2, 3, 8, 5}), Random({3, 1, 1}, 2)});
  Check(ops, operands, {Random<Half>({3, 5}), Random<Half>({5}, 2)});
  Check(ops, operands, {Random<BFloat16>({3, 16}), Random<BFloat16>({3, 1}, 2)});
  Check(ops, operands, {Random({0, 3}), Random({3})});
}

TEST(ElementwiseChain, KeepsResultsThatAreReadLater) {
  // The first of twelve results is read by the last.
  Ops ops = {"Neg"};
  Operands operands = {0, kNoOperand};
  for (int64_t k = 1; k < 12; ++k) {
    ops.push_back("AddV2");
    operands.insert(operands.end(), {k, k / 2});
  }
  ops.push_back("Sub");
  operands.insert(operands.end(), {12, 1});
  Check(ops, operands, {Random({3000})});
}

TEST(ElementwiseChain, OfAGpuKnowsItsOpsAlone) {
  Ops unary, binary;
#define NAME(formula) unary.push_back(#formula);
  TFBUILD_CHAIN_UNARY(NAME)
#undef NAME
#define NAME(formula) binary.push_back(#formula);
  TFBUILD_CHAIN_BINARY(NAME)
#undef NAME
  binary.insert(binary.end(), {"AddV2", "RealDiv"});
  const Tensor x = Random({37});
  for (const std::string& op : unary) Check({op, "Neg"}, {0, kNoOperand, 1, kNoOperand}, {x});
  for (const std::string& op : binary) Check({op, "Neg"}, {0, 1, 2, kNoOperand}, {x, Random({37}, 2)});
  EXPECT_TRUE(!PlanChainSteps({"Sin"}, {0, kNoOperand}, 1));
}

TEST(ElementwiseChain, OfAGpuKeepsWhatItHasRoomFor) {
  // Each of the first results is read again at the end, the latest first, so all are kept at once.
  for (int64_t kept = 1; kept <= kChainSlots + 1; ++kept) {
    Ops ops(static_cast<size_t>(kept) + 1, "Neg");
    Operands operands;
    for (int64_t k = 0; k <= kept; ++k) operands.insert(operands.end(), {k, kNoOperand});
    for (int64_t k = kept; k > 0; --k) {
      ops.push_back("Mul");
      operands.insert(operands.end(), {static_cast<int64_t>(ops.size()) - 1, k});
    }
    const auto steps = PlanChainSteps(ops, operands, 1);
    EXPECT_EQ(steps.has_value(), kept <= kChainSlots);
    if (steps) Check(ops, operands, {Random({1000})});
  }
  // Of a slot the last reader may write into it.
  Check({"Exp", "Neg", "Sub", "Tanh", "Mul"},
        {0, kNoOperand, 1, kNoOperand, 2, 1, 3, kNoOperand, 4, 3}, {Random({1000})});
}

// Lengths with and without a rest, within a tile and beyond.
void CheckFormula(const Ops& ops, const Operands& operands, size_t formulas,
                  const std::vector<Shape>& others = {{}, {}, {}}) {
  const int inputs = 1 + static_cast<int>(others.size());
  const std::vector<Formula> found = FindFormulas(ops, operands, inputs);
  EXPECT_EQ(found.size(), formulas);
  for (const int64_t count : {1, 15, 16, 1500, 4112}) {
    std::vector<Tensor> tensors = {Random({count})};
    for (const Shape& other : others) {
      const bool moves = other.rank() > 0;
      tensors.push_back(Random(moves ? Shape{count} : Shape{}, tensors.size() + 1));
    }
    Check(ops, operands, tensors);
  }
}

TEST(ElementFormula, GeluAndSiluAreOneLoop) {
  // 0.5 x (1 + erf(x / sqrt(2))), its factors on either side; inputs x and three numbers.
  CheckFormula({"Mul", "Mul", "Erf", "AddV2", "Mul"},
               {2, 0, 0, 1, 5, kNoOperand, 3, 6, 4, 7}, 1);
  CheckFormula({"Mul", "Mul", "Erf", "Add", "Mul"}, {0, 1, 2, 0, 4, kNoOperand, 6, 3, 7, 5}, 1);
  // 0.5 x (1 + tanh(c (x + d x^3)))
  CheckFormula({"Mul", "Mul", "Square", "Mul", "Mul", "AddV2", "Mul", "Tanh", "AddV2", "Mul"},
               {0, 1, 0, 2, 0, kNoOperand, 6, 0, 7, 3, 0, 8, 9, 1, 10, kNoOperand, 11, 2, 4, 12}, 1);
  CheckFormula({"Sigmoid", "Mul"}, {0, kNoOperand, 4, 0}, 1);
  // x tanh(softplus(x))
  CheckFormula({"Softplus", "Tanh", "Mul"}, {0, kNoOperand, 4, kNoOperand, 0, 5}, 1);
}

TEST(ElementFormula, EveryFunctionInEveryPlace) {
  const std::vector<std::vector<Shape>> kinds = {{{}, {}, {}}, {{9}, {9}, {9}}, {{}, {9}, {}},
                                                 {{9}, {}, {9}}};
  for (const std::vector<Shape>& kind : kinds) {
    for (const char* function : {"Erf", "Exp", "Sigmoid", "Softplus", "Tanh"}) {
      for (const char* sum : {"Add", "AddV2", "Sub"}) {
        // (f((x a + b) c) d + e) (x f), with all of them, and with each left out.
        CheckFormula({"Mul", sum, "Mul", function, "Mul", sum, "Mul", "Mul"},
                     {0, 1, 4, 2, 5, 3, 6, kNoOperand, 7, 1, 8, 2, 0, 3, 9, 10}, 1, kind);
        CheckFormula({sum, function, sum}, {0, 2, 4, kNoOperand, 5, 3}, 1, kind);
      }
      CheckFormula({"Mul", function}, {1, 0, 4, kNoOperand}, 1, kind);
      CheckFormula({"Mul", "Mul", function, "Mul", "Mul"},
                   {1, 0, 2, 4, 5, kNoOperand, 6, 3, 7, 0}, 1, kind);
      // A difference from another number is not joined behind a function.
      CheckFormula({function, "Sub"}, {0, kNoOperand, 1, 4}, 0, kind);
    }
  }
}

TEST(ElementFormula, KeepsWhatOthersRead) {
  // The argument and the result are read once more; a product multiplies itself.
  CheckFormula({"Mul", "Tanh", "Mul", "Mul"}, {0, 1, 4, kNoOperand, 5, 4, 6, 5}, 0);
  CheckFormula({"Mul", "Exp", "Mul", "Mul"}, {0, 1, 4, kNoOperand, 5, 2, 6, 6}, 1);
  // One function behind another, and two side by side.
  CheckFormula({"Mul", "Exp", "Mul", "Tanh", "Mul"},
               {0, 1, 4, kNoOperand, 5, 2, 6, kNoOperand, 7, 0}, 2);
  CheckFormula({"Sigmoid", "Tanh", "Mul", "Mul"}, {0, kNoOperand, 1, kNoOperand, 4, 5, 6, 0}, 1);
  // Functions of one number are computed once, of infinities and NaN like any other.
  CheckFormula({"Mul", "Exp", "Mul"}, {1, 2, 4, kNoOperand, 5, 0}, 1);
  const Tensor odd = MakeTensor<float>({6}, {INFINITY, -INFINITY, NAN, 0, -0.0, 1e-42});
  Check({"Mul", "Mul", "Erf", "AddV2", "Mul"}, {0, 1, 0, 1, 4, kNoOperand, 5, 1, 3, 6},
        {odd, Tensor::Scalar<float>(1), odd});
}

TEST(ElementwiseChain, RefusesWhatIsNoProgram) {
  const auto refused = [](const Ops& ops, const Operands& operands, const std::string& why) {
    OpTest chain("_ElementwiseChain");
    chain.Input(Random({2})).Attr("N", int64_t{1}).Attr("T", DType::kFloat).Attr("ops", ops);
    chain.Attr("operands", operands).RunExpectingError(Code::kInvalidArgument, why);
  };
  refused({}, {}, "two operands for each");
  refused({"Neg"}, {0}, "two operands for each");
  refused({"MatMul"}, {0, 0}, "is not elementwise");
  refused({"IsNan"}, {0, kNoOperand}, "is not elementwise");
  refused({"Neg"}, {0, 0}, "wrong operands");
  refused({"Mul"}, {0, kNoOperand}, "wrong operands");
  refused({"Mul"}, {0, 1}, "wrong operands");
  refused(Ops(100, "Neg"), Operands(200, 0), "at most");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
