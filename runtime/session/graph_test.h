#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/framework/variable.h"
#include "session/session.h"
#include "testing/op_test.h"

namespace tfbuild {
namespace testing {

// A graph and short ways to add to it; what cannot be added fails the test.
class TestGraph {
 public:
  Graph graph;

  Node* Const(const std::string& name, const Tensor& value) {
    return Add({name, "Const", {}, {}, {{"value", value}, {"dtype", value.dtype()}}, ""});
  }
  Node* Placeholder(const std::string& name, DType dtype, PartialShape shape = {}) {
    return Add({name, "Placeholder", {}, {}, {{"dtype", dtype}, {"shape", std::move(shape)}}, ""});
  }
  Node* Variable(const std::string& name, DType dtype, PartialShape shape,
                 const std::string& shared_name = "") {
    return Add({name, "VariableV2", {}, {},
                {{"dtype", dtype}, {"shape", std::move(shape)}, {"shared_name", shared_name}}, ""});
  }
  Node* Op(const std::string& name, const std::string& op, std::vector<Endpoint> inputs,
           const std::string& device = "", AttrMap attrs = {}, std::vector<Node*> control = {}) {
    return Add({name, op, std::move(inputs), std::move(control), std::move(attrs), device});
  }
  Node* Add(NodeSpec spec) {
    const Result<Node*> node = graph.AddNode(std::move(spec));
    EXPECT_OK(node);
    return node.ok() ? *node : nullptr;
  }

  // body(... body(initial)), `count` times; the value at the end.
  Endpoint CountedLoop(const std::string& name, Endpoint initial, int32_t count,
                       const std::function<Endpoint(Endpoint)>& body, int64_t parallel = 10) {
    const AttrMap frame{{"frame_name", name}, {"parallel_iterations", parallel}};
    AttrMap constant = frame;
    constant["is_constant"] = true;
    Node* zero = Const(name + "/zero", Tensor::Scalar<int32_t>(0));
    Node* limit = Const(name + "/limit", Tensor::Scalar<int32_t>(count));
    Node* number = Op(name + "/enter_number", "Enter", {{zero, 0}}, "", frame);
    Node* value = Op(name + "/enter_value", "Enter", {initial}, "", frame);
    Node* end = Op(name + "/enter_limit", "Enter", {{limit, 0}}, "", constant);
    Node* numbers = Op(name + "/numbers", "Merge", {{number, 0}, {number, 0}});
    Node* values = Op(name + "/values", "Merge", {{value, 0}, {value, 0}});
    Node* less = Op(name + "/less", "Less", {{numbers, 0}, {end, 0}});
    Node* go_on = Op(name + "/go_on", "LoopCond", {{less, 0}});
    Node* number_switch = Op(name + "/number_switch", "Switch", {{numbers, 0}, {go_on, 0}});
    Node* value_switch = Op(name + "/value_switch", "Switch", {{values, 0}, {go_on, 0}});
    Node* inside = Op(name + "/number", "Identity", {{number_switch, 1}});
    Node* one = Op(name + "/one", "Const", {}, "",
                   {{"value", Tensor::Scalar<int32_t>(1)}, {"dtype", DType::kInt32}}, {inside});
    Node* next = Op(name + "/add", "AddV2", {{inside, 0}, {one, 0}});
    Node* next_number = Op(name + "/next_number", "NextIteration", {{next, 0}});
    Node* next_value = Op(name + "/next_value", "NextIteration", {body({value_switch, 1})});
    EXPECT_OK(graph.CloseLoop(numbers, 1, next_number));
    EXPECT_OK(graph.CloseLoop(values, 1, next_value));
    return {Op(name + "/exit", "Exit", {{value_switch, 0}}), 0};
  }
};

inline Result<std::vector<Tensor>> RunOnce(DirectSession* session, std::vector<Endpoint> fetches,
                                           std::vector<Node*> targets = {},
                                           std::vector<Endpoint> fed = {},
                                           const std::vector<Tensor>& values = {},
                                           const StepOptions& options = {}) {
  ASSIGN_OR_RETURN(const auto callable,
                   session->MakeCallable(std::move(fed), std::move(fetches), std::move(targets)));
  std::vector<Tensor> results;
  RETURN_IF_ERROR(session->Run(*callable, values, &results, options));
  return results;
}

}  // namespace testing
}  // namespace tfbuild
