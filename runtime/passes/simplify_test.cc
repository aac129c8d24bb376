// What goes because it changes nothing, and what stays.
#include <algorithm>

#include "passes/passes.h"
#include "passes/plan_test.h"

namespace tfbuild {
namespace testing {
namespace {

const Pass kSimplify{"simplify", &Simplify};

TEST(Simplify, DropsWhatChangesNothing) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* one = Const(&graph, "one", MakeTensor<float>({}, {1}));
  Node* zero = Const(&graph, "zero", MakeTensor<float>({}, {0}));
  Node* product = Add(&graph, "product", "Mul", {{one, 0}, {x, 0}});
  Node* difference = Add(&graph, "difference", "Sub", {{product, 0}, {zero, 0}});
  Node* order = Const(&graph, "order", MakeTensor<int32_t>({1}, {0}));
  Node* there = Add(&graph, "there", "Transpose", {{difference, 0}, {order, 0}});
  Node* back = Add(&graph, "back", "Transpose", {{there, 0}, {order, 0}});
  Node* same = Add(&graph, "same", "Identity", {{back, 0}});
  Node* result = Add(&graph, "result", "Relu", {{same, 0}});
  ExpectNames(NodesAfter(kSimplify, graph, {result, 0}), {"result=Relu", "x=Placeholder"});
}

TEST(Simplify, KeepsWhatIsComputedOfAVariableThatAnUpdateChanges) {
  Graph graph;
  Node* v = Add(&graph, "v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  Node* read = Add(&graph, "read", "Identity", {{v, 0}});
  Node* stopped = Add(&graph, "stopped", "StopGradient", {{read, 0}});
  Node* one = Const(&graph, "one", MakeTensor<float>({}, {1}));
  Node* product = Add(&graph, "product", "Mul", {{stopped, 0}, {one, 0}});
  Node* result = Add(&graph, "result", "Relu", {{product, 0}});
  ExpectNames(NodesAfter(kSimplify, graph, {result, 0}),
              {"one=Const", "product=Mul", "read=Identity", "result=Relu", "v=VariableV2"});
}

TEST(Simplify, MakesPowersSimpler) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {kUnknownDim});
  const auto power = [&](const std::string& name, double exponent) {
    Node* by = Const(&graph, name + "_by", MakeTensor<float>({}, {exponent}));
    return Add(&graph, name, "Pow", {{x, 0}, {by, 0}});
  };
  ExpectNames(NodesAfter(kSimplify, graph, {power("a", 2), 0}), {"a=Square", "x=Placeholder"});
  ExpectNames(NodesAfter(kSimplify, graph, {power("b", -1), 0}), {"b=Reciprocal", "x=Placeholder"});
  ExpectNames(NodesAfter(kSimplify, graph, {power("c", 3), 0}),
              {"c=Pow", "c_by=Const", "x=Placeholder"});
  Node* one = power("one", 1);
  Node* result = Add(&graph, "result", "Relu", {{one, 0}});
  ExpectNames(NodesAfter(kSimplify, graph, {result, 0}), {"result=Relu", "x=Placeholder"});
}

// A dropout as the frontend writes it, of a value and the shape of another.
Node* Dropout(Graph* graph, const std::string& name, Node* value, Node* shaped, double rate) {
  const auto in = [&name](const char* part) { return StrCat(name, "/", part); };
  Node* shape = Add(graph, in("shape"), "Shape", {{shaped, 0}});
  Node* noise = Add(graph, in("noise"), "RandomUniform", {{shape, 0}}, {{"dtype", DType::kFloat}});
  Node* limit = Const(graph, in("rate"), MakeTensor<float>({}, {rate}));
  Node* zero = Const(graph, in("zero"), MakeTensor<float>({}, {0}));
  Node* kept = Add(graph, in("kept"), "GreaterEqual", {{noise, 0}, {limit, 0}});
  return Add(graph, name, "SelectV2", {{kept, 0}, {value, 0}, {zero, 0}});
}

TEST(Simplify, OfDropoutsThatKeepEverythingDrawsAlone) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {kUnknownDim, 3});
  Node* whole = Add(&graph, "result", "Relu", {{Dropout(&graph, "d", x, x, 0), 0}});
  ExpectNames(NodesAfter(kSimplify, graph, {whole, 0}),
              {"d/noise=RandomUniform", "d/shape=Shape", "result=Relu", "x=Placeholder"});
  const Names left{"d/kept=GreaterEqual", "d/noise=RandomUniform", "d/rate=Const",
                   "d/shape=Shape", "d/zero=Const", "d=SelectV2", "x=Placeholder"};
  const auto of = [&left](const Names& more) {
    Names all = left;
    all.insert(all.end(), more.begin(), more.end());
    std::sort(all.begin(), all.end());
    return all;
  };
  Graph some;
  x = Placeholder(&some, "x", {kUnknownDim, 3});
  ExpectNames(NodesAfter(kSimplify, some, {Dropout(&some, "d", x, x, 0.25), 0}), of({}));
  // One of the other shape may be stretched by it.
  Graph stretched;
  x = Placeholder(&stretched, "x", {kUnknownDim, 3});
  Node* y = Placeholder(&stretched, "y", {kUnknownDim, 3});
  ExpectNames(NodesAfter(kSimplify, stretched, {Dropout(&stretched, "d", x, y, 0), 0}),
              of({"y=Placeholder"}));
}

TEST(Simplify, LeavesWhatMayChangeSomething) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {2});
  Node* zero = Const(&graph, "zero", MakeTensor<float>({}, {0}));
  Node* sum = Add(&graph, "sum", "AddV2", {{x, 0}, {zero, 0}});  // turns -0 into 0
  ExpectNames(NodesAfter(kSimplify, graph, {sum, 0}), {"sum=AddV2", "x=Placeholder", "zero=Const"});
  Node* wide = Const(&graph, "wide", MakeTensor<float>({3, 1}, {1, 1, 1}));
  Node* stretched = Add(&graph, "stretched", "Mul", {{x, 0}, {wide, 0}});
  ExpectNames(NodesAfter(kSimplify, graph, {stretched, 0}),
              {"stretched=Mul", "wide=Const", "x=Placeholder"});
  Node* gate = Add(&graph, "gate", "NoOp", {});
  Node* waits = Add(&graph, "waits", "Identity", {{x, 0}}, {}, {gate});
  ExpectNames(NodesAfter(kSimplify, graph, {waits, 0}),
              {"gate=NoOp", "waits=Identity", "x=Placeholder"});
}

AttrMap Windows(const char* padding) {
  const std::vector<int64_t> sides{1, 2, 2, 1};
  return {{"ksize", sides}, {"strides", sides}, {"padding", std::string(padding)}};
}

TEST(Simplify, GradientsOfMaximaDoWithoutThem) {
  Graph graph;
  Node* x = Placeholder(&graph, "x", {1, kUnknownDim, 4, 3});
  Node* gradient = Placeholder(&graph, "gradient", {1, kUnknownDim, 2, 3});
  Node* maxima = Add(&graph, "maxima", "MaxPool", {{x, 0}}, Windows("VALID"));
  const auto gradient_of = [&](const char* name, Node* pooled, const char* padding) {
    return Add(&graph, name, "MaxPoolGrad", {{pooled, 0}, {maxima, 0}, {gradient, 0}},
               Windows(padding));
  };
  ExpectNames(NodesAfter(kSimplify, graph, {gradient_of("there", x, "VALID"), 0}),
              {"gradient=Placeholder", "there=MaxPoolGrad", "x=Placeholder"});
  // Maxima of other windows, or of something else, may not fit, which somebody must find out.
  ExpectNames(NodesAfter(kSimplify, graph, {gradient_of("same", x, "SAME"), 0}),
              {"gradient=Placeholder", "maxima=MaxPool", "same=MaxPoolGrad", "x=Placeholder"});
  Node* y = Placeholder(&graph, "y", {1, kUnknownDim, 4, 3});
  ExpectNames(NodesAfter(kSimplify, graph, {gradient_of("other", y, "VALID"), 0}),
              {"gradient=Placeholder", "maxima=MaxPool", "other=MaxPoolGrad", "x=Placeholder",
               "y=Placeholder"});
}

}  // namespace
}  // namespace testing
}  // namespace tfbuild
