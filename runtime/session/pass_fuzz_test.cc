// Random graphs, with branches, loops, calls and effects: every pass alone and all together must give the
// bits that the plan without passes gives, and leave the variable with the same value.
#include <limits>
#include <random>

#include "graph/function_library.h"
#include "session/graph_test.h"
#include "testing/function_maker.h"
#include "testing/fuzz_rounds.h"

namespace tfbuild {
namespace testing {
namespace {

constexpr int kGraphs = 200;
constexpr int kNodes = 40;
constexpr int kFetches = 6;
constexpr int64_t kWide = 70;  // columns, of rows that are worth loops of their own

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {
    x_ = graph_.Placeholder("x", DType::kFloat, Chance(50) ? PartialShape{2, 3} : PartialShape());
    pred_ = graph_.Placeholder("pred", DType::kBool);
    variable_ = graph_.Variable("v", DType::kFloat, PartialShape(std::vector<int64_t>{}));
    init_ = graph_.Op("init", "Assign", {{variable_, 0}, Scalar(1)});
    values_.push_back({x_, 0});
    EXPECT_OK(graph_.graph.functions()->Add(Library()));
    for (int i = 0; i < kNodes; ++i) AddSomething();
    for (int i = 0; i < kFetches; ++i) fetches_.push_back(Any());
    fetches_.push_back(values_.back());
  }

  // All bytes that a new session with these passes fetches, and the variable behind it.
  std::string Run(std::vector<std::string> disabled) {
    SessionOptions options;
    options.passes.disabled = std::move(disabled);
    DirectSession session(&graph_.graph, options);
    EXPECT_OK(RunOnce(&session, {}, {init_}));
    std::string bytes;
    for (const bool taken : {false, true}) {
      const auto results =
          RunOnce(&session, fetches_, {}, {{x_, 0}, {pred_, 0}},
                  {MakeTensor<float>({2, 3}, {1, -2, 0, -0.0, 3.5, 1e30}),
                   Tensor::Scalar<bool>(taken)});
      EXPECT_OK(results);
      if (!results.ok()) return results.status().message();
      for (const Tensor& value : *results) {
        bytes += value.shape().ToString();
        AppendNumbers(value, &bytes);
      }
    }
    const auto variable = RunOnce(&session, {{variable_, 0}});
    EXPECT_OK(variable);
    return variable.ok() ? bytes + StrCat(Values((*variable)[0])[0]) : "";
  }

 private:
  // Which sign a NaN has hangs on the order of operands, which is nobody's business.
  static void AppendNumbers(const Tensor& value, std::string* bytes) {
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      float number = value.data<float>()[i];
      if (number != number) number = std::numeric_limits<float>::quiet_NaN();
      bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
    }
  }

  int Int(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool Chance(int percent) { return Int(1, 100) <= percent; }
  Endpoint Any() { return values_[static_cast<size_t>(Int(0, static_cast<int>(values_.size()) - 1))]; }
  std::string Name() { return StrCat("n", next_++); }
  template <size_t kCount>
  std::string OneOf(const char* const (&names)[kCount]) {
    return names[Int(0, kCount - 1)];
  }

  Endpoint Scalar(float value) {
    return {graph_.Const(Name(), Tensor::Scalar<float>(value)), 0};
  }

  // Adds one to the variable; whoever waits for it has an effect.
  Node* Effect() {
    return graph_.Op(Name(), "AssignAdd", {{variable_, 0}, Scalar(1)});
  }

  Endpoint Unary(Endpoint value) {
    std::vector<Node*> control;
    if (Chance(10)) control.push_back(Effect());
    if (Chance(10)) return Power(value);
    return {graph_.Op(Name(), OneOf({"Neg", "Identity", "Square", "Relu", "StopGradient", "Tanh",
                                           "Sigmoid"}), {value},
                      "", {}, control), 0};
  }

  Endpoint Power(Endpoint value) {
    constexpr float kExponents[] = {2, 1, -1, 3, 0.5f, -0.5f, 1.5f};
    return {graph_.Op(Name(), "Pow", {value, Scalar(kExponents[Int(0, 6)])}), 0};
  }

  // Values that wait for each other as gradients do, one of them perhaps for nobody.
  Endpoint Tied(Endpoint value) {
    const Endpoint other = Chance(50) ? Any() : Unary(Unary(value));
    const Endpoint third = Chance(50) ? Unary(Any()) : Unary(value);
    Node* group = graph_.Op(Name(), "NoOp", {}, "", {}, {value.node, other.node, third.node});
    Node* first = graph_.Op(Name(), "Identity", {value}, "", {}, {group});
    values_.push_back({graph_.Op(Name(), "Identity", {other}, "", {}, {group}), 0});
    Node* alone = graph_.Op(Name(), "Neg", {third});
    return {graph_.Op(Name(), "Tanh", {{first, 0}}, "", {}, {alone}), 0};
  }

  Endpoint Binary(Endpoint a, Endpoint b) {
    return {graph_.Op(Name(), OneOf({"AddV2", "Sub", "Mul", "Maximum", "Minimum"}), {a, b}), 0};
  }

  // A matrix product and what follows it in networks; values are 2 x 3, or scalars.
  Endpoint Dense(Endpoint value) {
    value = Binary(value, {x_, 0});
    const auto random = [this] { return static_cast<double>(Int(-4, 4)) / 2; };
    std::vector<double> weights(9);
    for (double& weight : weights) weight = random();
    Node* matrix = graph_.Const(Name(), MakeTensor<float>({3, 3}, weights));
    Node* bias = graph_.Const(Name(), MakeTensor<float>({3}, {random(), random(), random()}));
    Node* product = graph_.Op(Name(), "MatMul", {value, {matrix, 0}});
    Endpoint sum = {graph_.Op(Name(), Chance(50) ? "BiasAdd" : "AddV2", {{product, 0}, {bias, 0}}), 0};
    if (Chance(50)) sum = Unary(sum);
    return Chance(50) ? Binary(value, sum) : sum;
  }

  // A normalisation, a softmax or a sum of long rows, and back to the shape of the others.
  Endpoint Normed(Endpoint value) {
    const auto matrix = [this](int64_t rows, int64_t columns) {
      std::vector<double> weights(static_cast<size_t>(rows * columns));
      for (double& weight : weights) weight = static_cast<double>(Int(-4, 4)) / 4;
      return Endpoint{graph_.Const(Name(), MakeTensor<float>({rows, columns}, weights)), 0};
    };
    const Endpoint wide = {
        graph_.Op(Name(), "MatMul", {Binary(value, {x_, 0}), matrix(3, kWide)}), 0};
    const Endpoint axis = {graph_.Const(Name(), MakeTensor<int32_t>({}, {-1})), 0};
    const auto reduce = [&](const char* op, Endpoint of) {
      return Endpoint{graph_.Op(Name(), op, {of, axis}, "", {{"keep_dims", true}}), 0};
    };
    const Endpoint first = reduce(Chance(50) ? "Mean" : "Max", wide);
    Endpoint rows = Binary(wide, first);
    if (Chance(50)) rows = Binary(rows, matrix(1, kWide));
    const Endpoint second = reduce(Chance(50) ? "Sum" : "Min", Unary(rows));
    rows = Binary(rows, Chance(50) ? second : Unary(second));
    return {graph_.Op(Name(), "MatMul", {rows, matrix(kWide, 3)}), 0};
  }

  Endpoint Stretched(Endpoint value) {
    Node* column = graph_.Const(Name(), MakeTensor<float>({2, 1}, {0.5, -3}));
    return Chance(50) ? Binary({column, 0}, value) : Binary(Unary(Binary({x_, 0}, value)), {column, 0});
  }

  Endpoint Shaped(Endpoint value) {
    Node* shape = graph_.Op(Name(), "Shape", {value});
    if (Chance(50)) return {graph_.Op(Name(), "Reshape", {value, {shape, 0}}), 0};
    Node* order = graph_.Const(Name(), MakeTensor<int32_t>({2}, {1, 0}));
    Node* there = graph_.Op(Name(), "Transpose", {value, {order, 0}});
    return {graph_.Op(Name(), "Transpose", {{there, 0}, {order, 0}}), 0};
  }

  // What takes from a value its shape alone, and when it is there.
  Endpoint AsLarge(Endpoint value, float filling) {
    Node* shape = graph_.Op(Name(), "Shape", {value});
    return {graph_.Op(Name(), "Fill", {{shape, 0}, Scalar(filling)}), 0};
  }

  // What networks do to images, in either format and with transpositions between. Sums of small whole
  // numbers are the same in any order.
  Endpoint Imaged(Endpoint value) {
    const auto op = [this](const char* name, std::vector<Endpoint> inputs, AttrMap attrs = {}) {
      return Endpoint{graph_.Op(Name(), name, std::move(inputs), "", std::move(attrs)), 0};
    };
    const auto numbers = [this](std::vector<int32_t> of) {
      return Endpoint{graph_.Const(Name(), Tensor::Vector(of)), 0};
    };
    const Endpoint flags = op("Cast", {Binary(value, {x_, 0})}, {{"DstT", DType::kBool}});
    Endpoint image = op("Reshape", {op("Cast", {flags}, {{"DstT", DType::kFloat}}),
                                    numbers({1, 2, 3, 1})});
    bool last = true;
    int64_t channels = 1;
    int convolutions = 0;
    for (int i = Int(2, 9); i > 0; --i) {
      AttrMap attrs{{"data_format", std::string(last ? "NHWC" : "NCHW")}};
      switch (Int(0, 5)) {
        case 0:
        case 1:
          image = op("Transpose", {image, last ? numbers({0, 3, 1, 2}) : numbers({0, 2, 3, 1})});
          last = !last;
          break;
        case 2:
          if (++convolutions > 3) break;
          image = Convolved(image, &channels, attrs);
          break;
        case 3:
          image = op("BiasAdd", {image, {graph_.Const(Name(), Whole({channels})), 0}}, attrs);
          break;
        case 4:
          attrs.insert({{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("SAME")},
                        {"ksize", last ? std::vector<int64_t>{1, 2, 1, 1}
                                       : std::vector<int64_t>{1, 1, 2, 1}}});
          image = op("MaxPool", {image}, attrs);
          break;
        default: image = Chance(50) ? op(OneOf({"Neg", "Relu"}).c_str(), {image})
                                    : op("Maximum", {op("Neg", {image}), image});
      }
    }
    image = op("Sum", {image, numbers({last ? -1 : 1})}, {{"keep_dims", false}});
    // So that no zero has a sign.
    return op("AddV2", {op("Reshape", {image, numbers({2, 3})}), Scalar(0)});
  }

  Endpoint Convolved(Endpoint image, int64_t* channels, AttrMap attrs) {
    const int64_t made = Int(1, 3);
    Node* filter = graph_.Const(Name(), Whole({2, 2, *channels, made}));
    *channels = made;
    attrs.insert({{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("SAME")}});
    return {graph_.Op(Name(), "Conv2D", {image, {filter, 0}}, "", attrs), 0};
  }

  Tensor Whole(const Shape& shape) {
    std::vector<double> numbers(static_cast<size_t>(shape.num_elements()));
    for (double& number : numbers) number = static_cast<double>(Int(-2, 2));
    return MakeTensor<float>(shape, numbers);
  }

  Endpoint Branched(Endpoint value) {
    Node* both = graph_.Op(Name(), "Switch", {value, {pred_, 0}});
    Endpoint no = {both, 0};
    Endpoint yes = {both, 1};
    for (int i = Int(0, 2); i > 0; --i) no = Chance(50) ? Unary(no) : Binary(no, Scalar(1));
    for (int i = Int(0, 2); i > 0; --i) yes = Chance(50) ? Unary(yes) : Binary(Scalar(0), yes);
    if (Chance(25)) no = AsLarge(no, 2);
    if (Chance(25)) yes = AsLarge(yes, 3);
    return {graph_.Op(Name(), "Merge", {no, yes}), 0};
  }

  // Inside of a loop nothing has an effect that could come in another order.
  Endpoint Looped(Endpoint value) {
    return graph_.CountedLoop(Name(), value, Int(0, 4), [&](Endpoint inside) {
      Node* half = graph_.Op(Name(), "Const", {}, "",
                             {{"value", Tensor::Scalar<float>(Chance(50) ? 0.5f : 1.0f)},
                              {"dtype", DType::kFloat}}, {inside.node});
      Node* product = graph_.Op(Name(), "Mul", {inside, {half, 0}});
      return Endpoint{graph_.Op(Name(), "Neg", {{product, 0}}), 0};
    }, Int(1, 3));
  }

  // What calls are of: an effect is left out, as nothing would order it.
  static std::string Library() {
    FunctionText half = Negative("half");
    half.nodes = {ConstNode("c", Tensor::Scalar<float>(0.5f)),
                  FloatNode("minus", "Mul", {"x", "c:output:0"})};
    half.results["y"] = "minus:z:0";
    FunctionText nested = half;
    nested.name = "nested";
    nested.nodes[1] = CallNode("minus", "half", {"x"});
    nested.nodes.push_back(FloatNode("sum", "AddV2", {"minus:output:0", "c:output:0"}));
    nested.results["y"] = "sum:z:0";
    const FunctionText cond{"cond", {{"i", DType::kFloat}, {"x", DType::kFloat}},
                            {{"more", DType::kBool}},
                            {ConstNode("end", Tensor::Scalar<float>(3)),
                             FloatNode("less", "Less", {"i", "end:output:0"})},
                            {{"more", "less:z:0"}}, {}};
    const FunctionText body{"body", cond.inputs, {{"i_out", DType::kFloat}, {"y", DType::kFloat}},
                            {ConstNode("one", Tensor::Scalar<float>(1)),
                             FloatNode("next", "AddV2", {"i", "one:output:0"}),
                             CallNode("step", "nested", {"x"})},
                            {{"i_out", "next:z:0"}, {"y", "step:output:0"}}, {}};
    return EncodeLibrary({Negative("minus"), half, nested, cond, body});
  }

  Endpoint Called(Endpoint value) {
    const std::vector<DType> types{DType::kFloat};
    const auto any = [this] { return FunctionNamed(OneOf({"minus", "half", "nested"})); };
    switch (Int(0, 3)) {
      case 0: return {graph_.Op(Name(), OneOf({"minus", "half", "nested"}), {value}), 0};
      case 1:
        return {graph_.Op(Name(), "PartitionedCall", {value}, "", {{"Tout", types}, {"f", any()}}),
                0};
      case 2:
        return {graph_.Op(Name(), "If", {{pred_, 0}, value}, "",
                          {{"Tout", types}, {"then_branch", any()}, {"else_branch", any()}}), 0};
      default:
        return {graph_.Op(Name(), "While", {Scalar(static_cast<float>(Int(0, 3))), value}, "",
                          {{"cond", FunctionNamed("cond")}, {"body", FunctionNamed("body")}}), 1};
    }
  }

  void AddSomething() {
    const int kind = Int(1, 100);
    Endpoint made;
    if (kind <= 30) {
      made = Unary(Any());
    } else if (kind <= 55) {
      made = Binary(Any(), Any());
    } else if (kind <= 60) {
      made = Dense(Any());
    } else if (kind <= 62) {
      made = Normed(Any());
    } else if (kind <= 64) {
      made = Imaged(Any());
    } else if (kind <= 66) {
      made = Stretched(Any());
    } else if (kind <= 70) {
      made = Binary(Any(), Scalar(static_cast<float>(Int(-1, 1))));
    } else if (kind <= 80) {
      made = Binary(Scalar(static_cast<float>(Int(-1, 1))), Any());
    } else if (kind <= 83) {
      made = Called(Any());
    } else if (kind <= 85) {
      made = Tied(Any());
    } else if (kind <= 88) {
      made = Shaped(Any());
    } else if (kind <= 95) {
      made = Branched(Any());
    } else {
      made = Looped(Any());
    }
    values_.push_back(made);
  }

  std::mt19937 random_;
  TestGraph graph_;
  int next_ = 0;
  Node* x_;
  Node* pred_;
  Node* variable_;
  Node* init_;
  std::vector<Endpoint> values_;
  std::vector<Endpoint> fetches_;
};

TEST(PassFuzz, EveryPassLeavesTheResultsAsTheyAre) {
  std::vector<std::string> names;
  for (const Pass& pass : RewritingPasses()) names.push_back(pass.name);
  const unsigned graphs = static_cast<unsigned>(FuzzRounds(kGraphs));
  for (unsigned seed = 0; seed < graphs; ++seed) {
    RandomGraph graph(seed);
    const std::string expected = graph.Run({"all"});
    const auto check = [&](const std::vector<std::string>& disabled, const std::string& what) {
      if (graph.Run(disabled) != expected) {
        Fail(__FILE__, __LINE__, StrCat("seed ", seed, ": other results with ", what));
      }
    };
    check({}, "all passes");
    for (const std::string& alone : names) {
      std::vector<std::string> others;
      for (const std::string& name : names) {
        if (name != alone) others.push_back(name);
      }
      check(others, StrCat("the pass ", alone, " alone"));
    }
  }
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
