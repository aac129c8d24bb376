// _ElementwiseChain, and the program and tiles that it and the chains behind products are made of.
#include "kernels/framework/element_program.h"

#include <string>

#include "testing/op_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ops = std::vector<std::string>;
using Operands = std::vector<int64_t>;

// What the ops give one after the other.
Tensor OneByOne(const Ops& ops, const Operands& operands, std::vector<Tensor> values) {
  for (size_t k = 0; k < ops.size(); ++k) {
    OpTest op(ops[k]);
    op.Input(values[static_cast<size_t>(operands[2 * k])]);
    if (operands[2 * k + 1] != kNoOperand) op.Input(values[static_cast<size_t>(operands[2 * k + 1])]);
    const auto result = op.RunOnCpu();
    EXPECT_OK(result);
    if (!result.ok()) return {};
    values.push_back((*result)[0]);
  }
  return values.back();
}

void Check(const Ops& ops, const Operands& operands, const std::vector<Tensor>& inputs) {
  OpTest chain("_ElementwiseChain");
  for (const Tensor& input : inputs) chain.Input(input);
  chain.Attr("N", static_cast<int64_t>(inputs.size())).Attr("T", inputs[0].dtype());
  chain.Attr("ops", ops).Attr("operands", operands);
  chain.Expect(OneByOne(ops, operands, inputs)).Within(Ulps(0)).Run();
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
