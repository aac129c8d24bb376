// Calls of functions become the nodes of the functions. The other passes, placement and programs know
// no functions, so this one cannot be left out.
#include <algorithm>

#include "passes/body_branches.h"
#include "passes/inliner.h"

namespace tfbuild {
namespace {

// What functions that call others several times may grow to: nodes, and bytes of their names, which
// begin with those of all calls around them.
constexpr int kMaxInlined = 1 << 19;
constexpr size_t kMaxNameBytes = size_t{1} << 28;

}  // namespace

Status Inliner::Run() {
  std::map<PlanValue, PlanValue> replaced;
  std::map<const PlanNode*, std::vector<PlanNode*>> behind;  // what stands for the call itself
  const std::vector<PlanNode*> nodes = plan_->nodes();
  for (PlanNode* node : nodes) {
    if (node->feed != kNoFeed || CallKindOf(*node->def) == CallKind::kNone) continue;
    Call call{node->def, node->inputs, {}};
    for (PlanValue& input : call.inputs) {
      const auto found = replaced.find(input);
      if (found != replaced.end()) input = found->second;
    }
    for (PlanNode* control : node->control_inputs) {
      const auto found = behind.find(control);
      if (found == behind.end()) {
        call.control_inputs.push_back(control);
      } else {
        call.control_inputs.insert(call.control_inputs.end(), found->second.begin(),
                                   found->second.end());
      }
    }
    Result<Written> written = WriteCall(call, {"", node->def->device(), nullptr});
    if (!written.ok()) return written.status().Annotate(StrCat("{{node ", node->name(), "}}"));
    for (size_t i = 0; i < written->results.size(); ++i) {
      replaced[{node, static_cast<int>(i)}] = written->results[i];
    }
    behind[node] = std::move(written->effects);
    record_->changes.push_back(StrCat(node->name(), " (", node->op(), ") is written out"));
  }
  plan_->Replace(replaced);
  for (PlanNode* node : plan_->nodes()) {
    std::vector<PlanNode*> control;
    for (PlanNode* source : node->control_inputs) {
      const auto found = behind.find(source);
      if (found == behind.end()) {
        control.push_back(source);
      } else {
        control.insert(control.end(), found->second.begin(), found->second.end());
      }
    }
    node->control_inputs = std::move(control);
  }
  std::vector<PlanNode*> targets;
  for (PlanNode* target : plan_->targets) {
    const auto found = behind.find(target);
    if (found == behind.end()) {
      targets.push_back(target);
    } else {
      targets.insert(targets.end(), found->second.begin(), found->second.end());
    }
  }
  plan_->targets = std::move(targets);
  return OkStatus();
}

// The node behind which a call's own nodes come: what the call waits for, its inputs among it, so
// that they are in its branch and its frame.
Result<PlanNode*> Inliner::GateFor(const Call& call, const Place& around) {
  std::vector<PlanNode*> waits = call.control_inputs;
  const Place place{StrCat(around.prefix, call.def->name(), "/"), around.device, around.gate};
  for (const PlanValue& input : call.inputs) {
    if (IsFree(input)) continue;
    PlanNode* source = input.node;
    // Who waits for a Switch without reading it is in neither branch.
    if (ControlFlowOf(*source) == ControlFlow::kSwitch) {
      ASSIGN_OR_RETURN(source, Add("Identity", "branch", {input}, {}, place));
    }
    if (std::find(waits.begin(), waits.end(), source) == waits.end()) waits.push_back(source);
  }
  if (waits.empty()) return around.gate;
  return Add("NoOp", "begin", {}, {}, place, std::move(waits));
}

Result<Inliner::Written> Inliner::WriteCall(Call call, const Place& around) {
  if (plan_->functions == nullptr) return Internal("a plan without functions calls one");
  ASSIGN_OR_RETURN(const auto bodies, plan_->functions->BodiesOf(*call.def));
  Place place{StrCat(around.prefix, call.def->name(), "/"),
              call.def->device().empty() ? around.device : call.def->device(), nullptr};
  ASSIGN_OR_RETURN(place.gate, GateFor(call, around));
  // A function gets the value that a variable has when the call begins.
  for (PlanValue& input : call.inputs) {
    const bool is_ref = input.type().is_ref && input.node->feed == kNoFeed;
    if (!is_ref && call.control_inputs.empty()) continue;
    ASSIGN_OR_RETURN(input, Behind(input, call.control_inputs, "input", place));
  }
  const auto branch = [this](const FunctionBody* body) {
    return [this, body](const std::vector<PlanValue>& arguments, const Place& inside) {
      return WriteBody(*body, arguments, inside);
    };
  };
  Written written;
  const std::vector<PlanValue> rest(call.inputs.begin() + (call.inputs.empty() ? 0 : 1),
                                    call.inputs.end());
  switch (CallKindOf(*call.def)) {
    case CallKind::kIf: {
      ASSIGN_OR_RETURN(written, WriteIf(call.inputs[0], rest, place, branch(bodies[0]),
                                        branch(bodies[1])));
      break;
    }
    case CallKind::kCase: {
      ASSIGN_OR_RETURN(written, WriteCase(call, bodies, place));
      break;
    }
    case CallKind::kWhile: {
      ASSIGN_OR_RETURN(written, WriteWhile(call, *bodies[0], *bodies[1], place));
      break;
    }
    default: {
      ASSIGN_OR_RETURN(written, WriteBody(*bodies[0], call.inputs, place));
      break;
    }
  }
  // Who reads a result of a call finds all that the call does done.
  if (written.acts) {
    for (PlanValue& result : written.results) {
      ASSIGN_OR_RETURN(result, Behind(result, written.effects, "result", place));
    }
  } else {
    written.effects.clear();
    for (const PlanValue& result : written.results) written.effects.push_back(result.node);
    if (written.effects.empty() && place.gate != nullptr) written.effects.push_back(place.gate);
  }
  ASSIGN_OR_RETURN(PlanNode * end, Add("NoOp", "end", {}, {}, place, written.effects));
  written.effects = {end};
  return written;
}

Result<Inliner::Written> Inliner::WriteBody(const FunctionBody& body,
                                            const std::vector<PlanValue>& arguments,
                                            const Place& place) {
  std::map<const Node*, Written> written;
  for (size_t i = 0; i < arguments.size(); ++i) {
    written[body.arguments[i]].results = {arguments[i]};
  }
  Written result;
  for (const auto& node : body.graph.nodes()) {
    if (written.count(node.get()) > 0) continue;
    const Status status = WriteNode(*node, place, &written);
    if (!status.ok()) {
      return status.Annotate(StrCat("node '", node->name(), "' of function '", body.name, "'"));
    }
  }
  for (const auto& node : body.graph.nodes()) {  // edges that close a loop of the body
    for (size_t i = 0; i < node->inputs().size(); ++i) {
      const Endpoint& input = node->inputs()[i];
      if (!ClosesLoop(input, *node)) continue;
      PlanNode* merge = written[node.get()].effects[0];
      merge->inputs[i] = written[input.node].results[static_cast<size_t>(input.index)];
    }
  }
  std::vector<const Node*> acting(body.control_results.begin(), body.control_results.end());
  for (const auto& node : body.graph.nodes()) {
    if (written[node.get()].acts) acting.push_back(node.get());
  }
  result.acts = !acting.empty();
  for (const Node* end : BodyBranches(body.graph).Ends(acting)) {
    const Written& made = written[end];
    result.effects.insert(result.effects.end(), made.effects.begin(), made.effects.end());
  }
  for (const Endpoint& endpoint : body.results) {
    result.results.push_back(written[endpoint.node].results[static_cast<size_t>(endpoint.index)]);
  }
  return result;
}

Status Inliner::WriteNode(const Node& node, const Place& place,
                          std::map<const Node*, Written>* written) {
  Call call{&node, {}, {}};
  const auto enters = std::find_if(
      node.inputs().begin(), node.inputs().end(),
      [&node](const Endpoint& input) { return !ClosesLoop(input, node); });
  if (enters == node.inputs().end() && !node.inputs().empty()) {
    return InvalidArgument("nothing enters the loop that '", node.name(), "' closes");
  }
  for (const Endpoint& input : node.inputs()) {
    // Until its loop is closed a Merge has another of its inputs in the place of the one that does.
    const Endpoint& there = ClosesLoop(input, node) ? *enters : input;
    call.inputs.push_back((*written)[there.node].results[static_cast<size_t>(there.index)]);
  }
  for (const Node* control : node.control_inputs()) {
    const Written& source = (*written)[control];
    std::vector<PlanNode*> sources = source.effects;
    if (sources.empty()) {  // an argument
      ASSIGN_OR_RETURN(const PlanValue argument, Behind(source.results[0], {}, "argument", place));
      sources.push_back(argument.node);
    }
    for (PlanNode* node_before : sources) {
      if (!IsFree({node_before, 0})) call.control_inputs.push_back(node_before);
    }
  }
  const bool free = std::all_of(call.inputs.begin(), call.inputs.end(), &Inliner::IsFree);
  const bool constant = node.op().name == "Const";
  if (free && call.control_inputs.empty() && place.gate != nullptr && !constant) {
    call.control_inputs.push_back(place.gate);
  }
  Written made;
  if (CallKindOf(node) != CallKind::kNone) {
    ASSIGN_OR_RETURN(made, WriteCall(std::move(call), place));
  } else {
    ASSIGN_OR_RETURN(PlanNode * copy, CopyNode(node, std::move(call), place));
    made.effects = {copy};
    made.acts = HasEffect(node);
    for (int i = 0; i < node.num_outputs(); ++i) made.results.push_back({copy, i});
  }
  (*written)[&node] = std::move(made);
  return OkStatus();
}

Result<PlanNode*> Inliner::CopyNode(const Node& node, Call call, const Place& place) {
  if (node.op().name[0] == '_') {
    return InvalidArgument("it is a ", node.op().name, ", which only passes may put into a graph");
  }
  AttrMap attrs = node.attrs();
  attrs.erase("_class");  // names nodes of the function
  if (attrs.count("frame_name") > 0) {
    ASSIGN_OR_RETURN(const std::string frame, node.Attr<std::string>("frame_name"));
    attrs["frame_name"] = place.prefix + frame;
  }
  Place there = place;
  if (!node.device().empty()) there.device = node.device();
  return Add(node.op().name, node.name(), std::move(call.inputs), std::move(attrs), there,
             std::move(call.control_inputs));
}

Result<PlanNode*> Inliner::Add(const std::string& op, const std::string& name,
                               std::vector<PlanValue> inputs, AttrMap attrs, const Place& place,
                               std::vector<PlanNode*> control) {
  if (plan_->num_nodes() - nodes_before_ >= kMaxInlined) {
    return ResourceExhausted("with its functions written out the graph has more than ", kMaxInlined,
                             " nodes of theirs");
  }
  look_.Turn();
  name_bytes_ += place.prefix.size() + name.size();
  if (name_bytes_ > kMaxNameBytes) {
    return ResourceExhausted("with its functions written out the names of the graph's nodes have more "
                             "than ", kMaxNameBytes, " bytes");
  }
  NodeSpec spec{place.prefix + name, op, {}, {}, std::move(attrs), place.device};
  ASSIGN_OR_RETURN(PlanNode * node, plan_->AddNew(std::move(spec), std::move(inputs), nullptr));
  node->of_function = true;
  node->control_inputs = std::move(control);
  return node;
}

Result<PlanValue> Inliner::Behind(PlanValue value, std::vector<PlanNode*> control,
                                  const std::string& name, const Place& place) {
  if (control.empty() && IsFree(value) && place.gate != nullptr) control.push_back(place.gate);
  ASSIGN_OR_RETURN(PlanNode * node, Add("Identity", name, {value}, {}, place, std::move(control)));
  return PlanValue{node, 0};
}

bool Inliner::IsFree(const PlanValue& value) {
  return value.node->is("Const") && value.node->control_inputs.empty();
}

Status InlineFunctions(PlanGraph* plan, PassRecord* record) {
  return Inliner(plan, record).Run();
}

}  // namespace tfbuild
