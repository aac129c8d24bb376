// Functions of the graph for kernels that call them: each is a plan of its own, on the host.
#include <atomic>
#include <set>
#include <vector>

#include "executor/executor.h"
#include "graph/function_library.h"
#include "kernels/framework/function_runtime.h"
#include "passes/place.h"
#include "passes/prune.h"
#include "session/session_functions.h"

namespace tfbuild {
namespace {

std::atomic<int64_t> next_step{int64_t{1} << 62};  // no step of a session has such a number

// Whether one of the attributes is a seed other than 0; the functions that they name go into `named`.
bool FindSeed(const AttrMap& attrs, std::vector<const FunctionAttr*>* named) {
  for (const auto& [name, value] : attrs) {
    const auto* number = std::get_if<int64_t>(&value);
    if ((name == "seed" || name == "seed2") && number != nullptr && *number != 0) return true;
    if (const auto* function = std::get_if<FunctionAttr>(&value)) named->push_back(function);
    if (const auto* several = std::get_if<std::vector<FunctionAttr>>(&value)) {
      for (const FunctionAttr& function : *several) named->push_back(&function);
    }
  }
  return false;
}

// Whether the body, or a function that it names, has kernels that draw numbers by a seed. Each body
// is looked at once, however many name it.
bool DrawsBySeed(FunctionLibrary* functions, const FunctionBody& body) {
  std::vector<const FunctionBody*> bodies{&body};
  std::set<const FunctionBody*> seen{&body};
  while (!bodies.empty()) {
    const FunctionBody* next = bodies.back();
    bodies.pop_back();
    std::vector<const FunctionAttr*> named;
    for (const auto& node : next->graph.nodes()) {
      if (FindSeed(node->attrs(), &named)) return true;
    }
    for (const FunctionAttr* function : named) {
      const Result<const FunctionBody*> found = functions->Instantiate(*function);
      if (found.ok() && seen.insert(*found).second) bodies.push_back(*found);
    }
  }
  return false;
}

// A graph that only calls the function, prepared as a session prepares what it runs.
class PlannedFunction final : public CallableFunction {
 public:
  PlannedFunction(FunctionLibrary* functions, Device* cpu, ResourceManager* resources)
      : resources_(resources),
        graph_(functions),
        kernels_(resources),
        placement_({cpu}, PlacementOptions{}) {}

  Status Prepare(const FunctionAttr& function, const PassOptions& options) {
    ASSIGN_OR_RETURN(const FunctionBody* body, graph_.functions()->Instantiate(function));
    draws_by_seed_ = DrawsBySeed(graph_.functions(), *body);
    RunSignature signature;
    for (const Node* argument : body->arguments) {
      const Node::Output& output = argument->output(0);
      ASSIGN_OR_RETURN(Node * placeholder,
                       graph_.AddNode({StrCat("argument_", argument_types_.size()), "Placeholder",
                                       {}, {}, {{"dtype", output.dtype}, {"shape", output.shape}},
                                       ""}));
      signature.feeds.push_back({placeholder, 0});
      argument_types_.push_back(output.dtype);
    }
    for (const Endpoint& result : body->results) result_types_.push_back(result.dtype());
    NodeSpec call{"call", "StatefulPartitionedCall", signature.feeds, {}, {}, ""};
    call.attrs = {{"f", function}, {"Tin", argument_types_}, {"Tout", result_types_}};
    ASSIGN_OR_RETURN(Node * caller, graph_.AddNode(std::move(call)));
    for (int i = 0; i < caller->num_outputs(); ++i) signature.fetches.push_back({caller, i});
    signature.targets = {caller};
    ASSIGN_OR_RETURN(PlanGraph plan, Prune(graph_, signature));
    RETURN_IF_ERROR(RunInlining(options, &plan).status());
    placement_.Update(graph_);
    RETURN_IF_ERROR(placement_.Place(&plan));
    RETURN_IF_ERROR(RunPasses(options, &plan).status());
    ASSIGN_OR_RETURN(std::unique_ptr<Program> program, Program::Create(std::move(plan), &kernels_));
    executor_ = std::make_unique<Executor>(std::move(program), nullptr);
    return OkStatus();
  }

  Status Call(StepContext* around, const std::vector<Tensor>& arguments,
              std::vector<Tensor>* results) const override {
    InnerStep inner(around, next_step.fetch_add(1, std::memory_order_relaxed), resources_);
    return executor_->Run(arguments, results, inner.get());
  }
  const std::vector<DType>& argument_types() const override { return argument_types_; }
  const std::vector<DType>& result_types() const override { return result_types_; }
  bool draws_by_seed() const override { return draws_by_seed_; }

 private:
  ResourceManager* resources_;
  Graph graph_;
  KernelCache kernels_;
  Placement placement_;
  std::vector<DType> argument_types_;
  std::vector<DType> result_types_;
  bool draws_by_seed_ = false;
  std::unique_ptr<Executor> executor_;
};

}  // namespace

std::shared_ptr<FunctionRuntime> MakeFunctionRuntime(const Graph* graph, Device* cpu,
                                                     const PassOptions& passes,
                                                     ResourceManager* resources) {
  std::shared_ptr<FunctionRuntime> runtime = FunctionRuntime::Of(resources);
  runtime->set_maker([graph, cpu, passes, resources](const FunctionAttr& function)
                         -> Result<std::shared_ptr<CallableFunction>> {
    auto planned = std::make_shared<PlannedFunction>(graph->functions(), cpu, resources);
    RETURN_IF_ERROR(planned->Prepare(function, passes));
    return std::shared_ptr<CallableFunction>(std::move(planned));
  });
  return runtime;
}

}  // namespace tfbuild
