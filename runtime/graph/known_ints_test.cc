#include "graph/known_ints.h"

#include "testing/op_test.h"

namespace tfbuild {
namespace testing {
namespace {

class Ints {
 public:
  Endpoint Const(const Tensor& value) {
    return Add("Const", {}, {{"value", value}, {"dtype", value.dtype()}});
  }
  Endpoint Numbers(const std::vector<int32_t>& values) { return Const(Tensor::Vector(values)); }
  Endpoint Number(int32_t value) { return Const(Tensor::Scalar(value)); }
  // The shape of something of that shape.
  Endpoint ShapeOf(PartialShape shape) {
    return Add("Shape", {Add("Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}})}, {});
  }
  Endpoint Add(const std::string& op, std::vector<Endpoint> inputs, AttrMap attrs) {
    const Result<Node*> node = graph_.AddNode(
        {StrCat("n", graph_.num_nodes()), op, std::move(inputs), {}, std::move(attrs), ""});
    EXPECT_OK(node);
    return {node.ok() ? *node : nullptr, 0};
  }

 private:
  Graph graph_;
};

// "[2,?]", "7", "nothing".
std::string Known(const Endpoint& endpoint) {
  const auto ints = EvaluateInts(endpoint);
  if (!ints) return "nothing";
  std::vector<std::string> texts;
  for (const auto& value : ints->values) texts.push_back(value ? StrCat(*value) : "?");
  return ints->is_scalar ? texts[0] : "[" + StrJoin(texts, ",") + "]";
}

TEST(KnownInts, FollowDimensionsThroughWhatShapesAreMadeOf) {
  Ints ints;
  const Endpoint shape = ints.ShapeOf({kUnknownDim, 3, 4});
  EXPECT_EQ(Known(shape), "[?,3,4]");
  const auto at = [&](int32_t i) {
    return ints.Add("StridedSlice", {shape, ints.Numbers({i}), ints.Numbers({i + 1}),
                                     ints.Numbers({1})}, {{"shrink_axis_mask", int64_t{1}}});
  };
  EXPECT_EQ(Known(at(0)), "?");
  EXPECT_EQ(Known(at(1)), "3");
  const Endpoint product = ints.Add("Mul", {at(1), at(2)}, {});
  EXPECT_EQ(Known(product), "12");
  EXPECT_EQ(Known(ints.Add("Pack", {at(0), product}, {})), "[?,12]");
  const Endpoint anything = ints.Add("Placeholder", {}, {{"dtype", DType::kInt32}});
  EXPECT_EQ(Known(anything), "nothing");
  EXPECT_EQ(Known(ints.Add("Pack", {anything, product}, {})), "[?,12]");  // scalars, as 12 is one
  EXPECT_EQ(Known(ints.Add("Pack", {anything, shape}, {})), "nothing");
  const Endpoint rest = ints.Add("StridedSlice", {shape, ints.Numbers({1}), ints.Numbers({0}),
                                                  ints.Numbers({1})}, {{"end_mask", int64_t{1}}});
  EXPECT_EQ(Known(rest), "[3,4]");
  EXPECT_EQ(Known(ints.Add("ConcatV2", {rest, ints.Numbers({5}), ints.Number(0)}, {})), "[3,4,5]");
  EXPECT_EQ(Known(ints.Add("Cast", {rest}, {{"DstT", DType::kInt64}})), "[3,4]");
  EXPECT_EQ(Known(ints.Add("AddV2", {shape, ints.Number(1)}, {})), "[?,4,5]");
  EXPECT_EQ(Known(ints.Add("Mul", {shape, ints.Number(0)}, {})), "[0,0,0]");
  EXPECT_EQ(Known(ints.Add("Range", {ints.Number(0), at(1), ints.Number(1)}, {})), "[0,1,2]");
  EXPECT_EQ(Known(ints.Add("GatherV2", {shape, ints.Numbers({2, 0}), ints.Number(0)}, {})),
            "[4,?]");
}

// As a Range up to 5.0 has them, whose other numbers are integers.
TEST(KnownInts, GiveSizesAsRealNumbersToo) {
  Ints ints;
  for (const DType dtype : {DType::kFloat, DType::kDouble}) {
    const auto real = [&](const Endpoint& number) {
      return ints.Add("Cast", {number}, {{"DstT", dtype}});
    };
    const Endpoint known = ints.Add(
        "Range", {real(ints.Number(1)), real(ints.Number(6)), real(ints.Number(2))}, {});
    EXPECT_EQ(known.shape(), PartialShape({3}));
    const Endpoint anything = ints.Add("Placeholder", {}, {{"dtype", DType::kInt32}});
    const Endpoint open = ints.Add(
        "Range", {real(ints.Number(1)), real(anything), real(ints.Number(2))}, {});
    EXPECT_EQ(open.shape(), PartialShape({kUnknownDim}));
  }
}

TEST(KnownInts, FollowWhatRepeatsTakesApartAndChooses) {
  Ints ints;
  const Endpoint shape = ints.ShapeOf({kUnknownDim, 3});
  EXPECT_EQ(Known(ints.Add("Fill", {ints.Numbers({2}), ints.Number(4)}, {})), "[4,4]");
  const Endpoint parts = ints.Add("Unpack", {shape}, {{"num", int64_t{2}}});
  EXPECT_EQ(Known(parts), "?");
  EXPECT_EQ(Known({parts.node, 1}), "3");
  const Endpoint shapes = ints.Add("ShapeN", {shape, ints.Numbers({1, 2, 3})}, {});
  EXPECT_EQ(Known({shapes.node, 1}), "[3]");
  const Endpoint unsure = ints.Add("Placeholder", {}, {{"dtype", DType::kBool},
                                                        {"shape", PartialShape({2})}});
  const Endpoint chosen = ints.Add("SelectV2", {unsure, ints.Numbers({1, 3}), shape}, {});
  EXPECT_EQ(Known(chosen), "[?,3]");
}

TEST(KnownInts, AreNotWhatDoesNotFit) {
  Ints ints;
  const Endpoint large = ints.Number(1 << 30);
  EXPECT_EQ(Known(ints.Add("Mul", {large, large}, {})), "?");
  EXPECT_EQ(Known(ints.Add("FloorDiv", {large, ints.Number(0)}, {})), "?");
  EXPECT_EQ(Known(ints.Add("FloorDiv", {ints.Number(-7), ints.Number(2)}, {})), "-4");
  EXPECT_EQ(Known(ints.Const(Tensor::Scalar<float>(1))), "nothing");
  const Endpoint endless = ints.Add("Range", {ints.Number(0), large, ints.Number(1)}, {});
  EXPECT_TRUE(Known(endless) == "nothing");
}

TEST(KnownInts, EndWhereAGraphIsTooDeep) {
  Ints ints;
  Endpoint sum = ints.Number(1);
  for (int i = 0; i < 200; ++i) sum = ints.Add("AddV2", {sum, sum}, {});
  EXPECT_EQ(Known(sum), "?");
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
