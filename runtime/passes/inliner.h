#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/stop_look.h"
#include "graph/function_library.h"
#include "passes/passes.h"

namespace tfbuild {

// Writes calls out: the nodes of a function in the place of a node that calls it, and Switch, Merge
// and loops for If, Case and While, as TensorFlow lowers them.
class Inliner {
 public:
  Inliner(PlanGraph* plan, PassRecord* record)
      : plan_(plan), record_(record), nodes_before_(plan->num_nodes()) {}
  Status Run();

 private:
  // Where nodes are written: their names begin with `prefix`, and where nobody asks for a device they
  // ask for `device`. Those that nothing else ties to a branch, a frame or a moment wait for `gate`.
  struct Place {
    std::string prefix;
    std::string device;
    PlanNode* gate = nullptr;  // null where that is so everywhere
  };
  // One call: a node of the plan, or of the body of a function.
  struct Call {
    const Node* def = nullptr;
    std::vector<PlanValue> inputs;
    std::vector<PlanNode*> control_inputs;
  };
  // What a call or a body gives, and the nodes behind which all its effects have happened.
  struct Written {
    std::vector<PlanValue> results;
    std::vector<PlanNode*> effects;
    bool acts = false;  // whether they do more than give the results
  };
  using Branch = std::function<Result<Written>(const std::vector<PlanValue>&, const Place&)>;

  Result<Written> WriteCall(Call call, const Place& around);
  Result<Written> WriteBody(const FunctionBody& body, const std::vector<PlanValue>& arguments,
                            const Place& place);
  Status WriteNode(const Node& node, const Place& place, std::map<const Node*, Written>* written);
  Result<PlanNode*> CopyNode(const Node& node, Call call, const Place& place);
  Result<PlanNode*> GateFor(const Call& call, const Place& around);

  // lower_control.cc.
  Result<Written> WriteIf(PlanValue pred, const std::vector<PlanValue>& arguments, const Place& place,
                          const Branch& then_branch, const Branch& else_branch);
  using Bodies = std::vector<const FunctionBody*>;
  Result<Written> WriteCase(const Call& call, const Bodies& bodies, const Place& place);
  Result<Written> WriteBranches(const Bodies& bodies, size_t first, size_t end,
                                const std::vector<PlanValue>& values, const Place& place);
  Result<PlanValue> IsBelow(const PlanValue& index, size_t limit, const Place& place);
  Result<Written> WriteWhile(const Call& call, const FunctionBody& cond, const FunctionBody& body,
                             const Place& place);
  Result<PlanValue> AsBool(PlanValue value, const Place& place);

  // A new node.
  Result<PlanNode*> Add(const std::string& op, const std::string& name, std::vector<PlanValue> inputs,
                        AttrMap attrs, const Place& place, std::vector<PlanNode*> control = {});
  // The value behind an Identity, which waits for these.
  Result<PlanValue> Behind(PlanValue value, std::vector<PlanNode*> control, const std::string& name,
                           const Place& place);
  // Whether the value is a constant that waits for nobody: it is the same in all branches and frames.
  static bool IsFree(const PlanValue& value);

  PlanGraph* plan_;
  PassRecord* record_;
  const int nodes_before_;
  size_t name_bytes_ = 0;  // of the nodes that were made
  StopLook look_;
};

}  // namespace tfbuild
