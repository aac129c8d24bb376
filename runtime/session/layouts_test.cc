// Networks whose dimensions the pass `layout` puts into another order: they compute what they computed.
#include "passes/layout_roles.h"
#include "session/graph_test.h"
#include "testing/random_values.h"

namespace tfbuild {
namespace testing {
namespace {

using Ints = std::vector<int64_t>;

Tensor Numbers(const Shape& shape, uint64_t seed) {
  return MakeTensor<float>(shape, RandomIntegers(shape.num_elements(), seed, 4));
}

// Ops of one format on values in the other, as programs have them that were written for another library.
class Foreign {
 public:
  explicit Foreign(bool channels_last, bool known_batch = true) : last_(channels_last) {
    std::vector<int64_t> dims = Images(4, 8, 12);
    if (!known_batch) dims[0] = kUnknownDim;
    x = graph_.Placeholder("x", DType::kFloat, PartialShape(dims));
  }

  // A size for each dimension, as the ops here have them.
  Ints Each(int64_t rows, int64_t cols) const {
    return last_ ? Ints{1, rows, cols, 1} : Ints{1, 1, rows, cols};
  }
  AttrMap Attrs(Ints strides, const char* padding = "SAME") const {
    return {{"strides", std::move(strides)}, {"padding", std::string(padding)},
            {"data_format", std::string(last_ ? "NHWC" : "NCHW")}};
  }
  AttrMap PoolAttrs() const {
    AttrMap attrs = Attrs(Each(2, 1));
    attrs["ksize"] = Each(3, 2);
    return attrs;
  }
  // Values beside the ops have the other format.
  Endpoint In(Endpoint value) { return Turned(value, !last_); }
  Endpoint Out(Endpoint value) { return Turned(value, last_); }
  Endpoint Op(const char* op, std::vector<Endpoint> inputs, AttrMap attrs = {}) {
    return {graph_.Op(Name(), op, std::move(inputs), "", std::move(attrs)), 0};
  }
  Endpoint Const(const Tensor& value) { return {graph_.Const(Name(), value), 0}; }
  Endpoint Sizes(Endpoint value) { return Op("Shape", {value}); }

  // With the pass and without.
  void Check(const std::vector<Endpoint>& fetches, int64_t least_changes = 1) {
    std::vector<Tensor> found[2];
    for (const bool with : {false, true}) {
      SessionOptions options;
      if (!with) options.passes.disabled = {"layout"};
      DirectSession session(&graph_.graph, options);
      const auto callable = session.MakeCallable({{x, 0}}, fetches, {});
      ASSERT_OK(callable);
      int64_t changes = 0;
      const auto passes = session.Explain(callable->get());
      ASSERT_OK(passes);
      for (const PassRecord& record : **passes) {
        if (record.name == "layout") changes += static_cast<int64_t>(record.changes.size());
      }
      EXPECT_TRUE(with ? changes >= least_changes : changes == 0);
      ASSERT_OK(session.Run(**callable, {Numbers(*Shape::Make(Images(4, 8, 12)), 3)},
                            &found[with], {}));
    }
    for (size_t i = 0; i < fetches.size(); ++i) {
      ExpectClose(found[1][i], found[0][i], Slack(1e-4, "sums of numbers of both signs"));
    }
  }

  Node* x;

 private:
  std::vector<int64_t> Images(int64_t channels, int64_t rows, int64_t cols) const {
    return last_ ? Ints{2, channels, rows, cols} : Ints{2, rows, cols, channels};
  }
  Endpoint Turned(Endpoint value, bool to_first) {
    const DimOrder order = OtherFormat(to_first, 4);
    const std::vector<int32_t> numbers(order.begin(), order.end());
    return Op("Transpose", {value, Const(Tensor::Vector(numbers))});
  }
  std::string Name() { return StrCat("n", next_++); }

  TestGraph graph_;
  bool last_;
  int next_ = 0;
};

TEST(Layouts, ForwardThroughANetwork) {
  for (const bool last : {false, true}) {
    Foreign net(last);
    Endpoint value = net.Out(net.Op("Conv2D", {net.In({net.x, 0}), net.Const(Numbers({3, 2, 4, 6}, 1))},
                                    net.Attrs(net.Each(1, 2))));
    value = net.Op("Relu", {value});
    AttrMap pool = net.PoolAttrs();
    value = net.Out(net.Op("MaxPool", {net.In(value)}, pool));
    Endpoint more = net.Out(net.Op("AvgPool", {net.In(value)}, pool));
    AttrMap wide = net.Attrs(net.Each(2, 1));
    more = net.Out(net.Op("DepthwiseConv2dNative",
                          {net.In(more), net.Const(Numbers({2, 3, 6, 2}, 2))},
                          net.Attrs(net.Each(1, 1), "VALID")));
    more = net.Out(net.Op("BiasAdd", {net.In(more), net.Const(Numbers({12}, 5))},
                          {{"data_format", wide["data_format"]}}));
    net.Check({net.Op("Tanh", {more}), value});
  }
}

TEST(Layouts, BackwardThroughANetwork) {
  for (const int kind : {0, 1, 2, 3}) {
    Foreign net(kind % 2 == 1, kind < 2);
    const Endpoint x = net.In({net.x, 0});
    const Endpoint filter = net.Const(Numbers({3, 2, 4, 6}, 1));
    const AttrMap attrs = net.Attrs(net.Each(1, 2));
    const Endpoint made = net.In(net.Op("Relu", {net.Out(net.Op("Conv2D", {x, filter}, attrs))}));
    const AttrMap pool = net.PoolAttrs();
    const Endpoint pooled = net.Op("MaxPool", {made}, pool);
    const Endpoint mean = net.Op("AvgPool", {pooled}, pool);
    const Endpoint error = net.In(net.Op("Square", {net.Out(mean)}));
    const Endpoint before = net.Op("AvgPoolGrad", {net.Sizes(pooled), error}, pool);
    const Endpoint gradient = net.Op("MaxPoolGrad", {made, pooled, before}, pool);
    const Endpoint back = net.In(net.Op("ReluGrad", {net.Out(gradient), net.Out(made)}));
    const Endpoint sums = net.Op("BiasAddGrad", {back}, {{"data_format", attrs.at("data_format")}});
    net.Check({net.Out(net.Op("Conv2DBackpropInput", {net.Sizes(x), filter, back}, attrs)),
               net.Op("Conv2DBackpropFilter", {x, net.Sizes(filter), back}, attrs), sums});
  }
}

TEST(Layouts, ThroughANormalisation) {
  for (const bool last : {false, true}) {
    Foreign net(last);
    AttrMap attrs{{"data_format", net.Attrs({}).at("data_format")}, {"is_training", true},
                  {"epsilon", 0.01f}};
    const Endpoint scale = net.Const(MakeTensor<float>({4}, {1, 2, 0.5, -1}));
    const Endpoint none = net.Const(MakeTensor<float>({0}, {}));
    const Endpoint x = net.In(net.Op("Relu", {Endpoint{net.x, 0}}));
    const Endpoint made = net.Op("FusedBatchNormV3", {x, scale, scale, none, none}, attrs);
    const Endpoint error = net.In(net.Op("Tanh", {net.Out(made)}));
    const Endpoint gradient =
        net.Op("FusedBatchNormGradV3", {error, x, scale, {made.node, 3}, {made.node, 4}, {made.node, 5}},
               attrs);
    net.Check({net.Op("Neg", {net.Out(gradient)}), {made.node, 1}, {gradient.node, 1}});
  }
}

// What is repeated takes the other order in each iteration.
TEST(Layouts, InALoop) {
  TestGraph graph;
  Node* x = graph.Placeholder("x", DType::kFloat, {2, 3, 4});
  Node* order = graph.Const("order", MakeTensor<int32_t>({3}, {0, 2, 1}));
  Node* column = graph.Const("column", MakeTensor<float>({1, 4, 1}, {1, 2, 3, 4}));
  int next = 0;
  const Endpoint result = graph.CountedLoop("loop", {x, 0}, 3, [&](Endpoint value) {
    const auto op = [&](const char* name, std::vector<Endpoint> inputs) {
      return Endpoint{graph.Op(StrCat("inside", next++), name, std::move(inputs)), 0};
    };
    Endpoint inside = op("Transpose", {op("Neg", {value}), {order, 0}});
    inside = op("Tanh", {op("AddV2", {inside, {column, 0}})});
    return op("Identity", {op("Transpose", {inside, {order, 0}})});
  });
  std::vector<Tensor> found;
  for (const char* disabled : {"layout", "fuse"}) {
    SessionOptions options;
    options.passes.disabled = {disabled};
    DirectSession session(&graph.graph, options);
    const auto results = RunOnce(&session, {result}, {}, {{x, 0}}, {Numbers({2, 3, 4}, 8)});
    ASSERT_OK(results);
    found.push_back((*results)[0]);
  }
  ExpectClose(found[1], found[0], Ulps(2));
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
