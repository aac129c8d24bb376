#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/attrs.h"
#include "graph/graph.h"

namespace tfbuild {

// A function made ready for a call: its nodes as a graph, with a Placeholder for each argument.
// Nodes of the body keep the order that the graph gives them, so inputs come first.
struct FunctionBody {
  explicit FunctionBody(FunctionLibrary* functions) : graph(functions) {}
  std::string name;
  Graph graph;
  std::vector<Node*> arguments;
  std::vector<Endpoint> results;
  std::vector<Node*> control_results;  // what a call must have run, whether a result needs it or not
  // Those, and all others that do more than give their values.
  std::vector<Node*> EffectNodes() const;
};

// Whether running the node does more than give its values.
bool HasEffect(const Node& node);

// How a node calls functions.
enum class CallKind { kNone, kCall, kIf, kCase, kWhile };
CallKind CallKindOf(const Node& node);

// The functions of a graph, in TensorFlow's FunctionDefLibrary. What is not called is kept as it
// came, whatever ops it needs. Thread-safe: a step may instantiate a function beside an import.
class FunctionLibrary {
 public:
  // Adds the functions of an encoded library; DataLoss for what is none, InvalidArgument where
  // another function has the same name. Those that are there already stay.
  Status Add(std::string_view library);
  // The bytes of the library, functions in the order in which they came.
  std::string Serialize() const;
  bool Has(const std::string& name) const;
  std::vector<std::string> Names() const;

  // The function of that name as an op; null when there is none, or none that can be read.
  const OpDef* FindOp(const std::string& name) const;
  // The body of a function for a call that gives its signature these attributes. Functions that it
  // calls are made ready as well. NotFound, InvalidArgument or Unimplemented names the function.
  Result<const FunctionBody*> Instantiate(const FunctionAttr& function);
  // The bodies that a node calls, checked against its inputs and outputs: of a call the function, of
  // an If then_branch and else_branch, of a Case its branches, of a While cond and body.
  Result<std::vector<const FunctionBody*>> BodiesOf(const Node& call);

  // For an import that fails: how far the library went before it, and back to there. Bodies that were
  // made before stay where they are, as steps on other threads have them.
  size_t size() const;
  void Truncate(size_t size);

 private:
  struct Function {
    std::string name;
    std::string encoded;
    mutable std::unique_ptr<OpDef> op;  // made on first use
  };
  Result<const FunctionBody*> InstantiateLocked(const FunctionAttr& function);
  Result<std::unique_ptr<FunctionBody>> Make(const Function& function, const AttrMap& attrs);

  std::vector<std::unique_ptr<Function>> functions_;
  std::map<std::string, Function*> by_name_;
  std::map<std::string, std::string> gradients_;  // by name of the function
  mutable std::recursive_mutex mutex_;
  struct MadeBody {
    std::unique_ptr<FunctionBody> body;
    size_t library_size = 0;  // when it was made: it calls none of the functions that came later
  };
  std::map<std::string, MadeBody> bodies_;
  std::vector<std::string> being_made_;  // each calls the next
};

}  // namespace tfbuild
