// Nobody waits for what has no effect and whose value nobody reads: it is not computed at all, and
// who waited for it waits for what it stands on. Gradients have most of these, as each op's are tied
// together, those that nobody asked for with the others. The values of one tf.tuple do not wait for
// each other either; what has effects, reads state, may report a wrong number, or stands in a
// branch is waited for as before.
#include <algorithm>

#include "passes/passes.h"

namespace tfbuild {
namespace {

// Plans for which the table of who stands on whom would be larger are left as they are.
constexpr size_t kMostBits = size_t{1} << 29;

class NodeSet {
 public:
  explicit NodeSet(size_t size = 0) : words_((size + 63) / 64) {}
  void Add(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  bool Has(size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void AddAll(const NodeSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
  }
  void TakeAway(const NodeSet& other) {
    for (size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
  }

 private:
  std::vector<uint64_t> words_;
};

class WaitDropper {
 public:
  WaitDropper(PlanGraph* plan, PassRecord* record) : plan_(plan), record_(record) {}

  void Run() {
    const auto& nodes = plan_->nodes();
    if (std::all_of(nodes.begin(), nodes.end(),
                    [](const PlanNode* node) { return node->control_inputs.empty(); })) {
      return;
    }
    facts_.resize(nodes.size());
    FindTuples();
    for (const PlanNode* node : nodes) Of(node).idle = Of(node).tuple || IsIdle(*node);
    FindNeeded();
    Number();
    if (places_.size() * nodes.size() > kMostBits) return;
    for (PlanNode* node : nodes) Look(node);
  }

 private:
  struct Facts {
    bool idle = false;    // whoever waits for it may as well wait for its inputs
    bool needed = false;  // it runs, whoever waits for it
    bool tuple = false;   // it ties values together, and nothing else
    int place = -1;       // in sets, where it can be in one
    NodeSet effects;      // what its value stands on that is not idle
    NodeSet waits;        // what waiting for it means
    NodeSet done;         // what has run when it has
  };
  Facts& Of(const PlanNode* node) { return facts_[static_cast<size_t>(node->position)]; }
  const Facts& Of(const PlanNode* node) const {
    return facts_[static_cast<size_t>(node->position)];
  }

  // What is there without being computed.
  static bool IsSource(const PlanNode& node) {
    return node.feed != kNoFeed || node.is("Const") || node.is("VariableV2") ||
           node.is("Variable") || node.is("VarHandleOp");
  }

  // Branches and loops are distinguished by the nodes that read their Switch or Enter.
  static bool IsIdle(const PlanNode& node) {
    if (IsSource(node)) return true;
    if (!IsPure(node) || node.is("CheckNumerics") || node.is("EnsureShape")) return false;
    return std::all_of(node.inputs.begin(), node.inputs.end(), [](const PlanValue& input) {
      return ControlFlowOf(*input.node) == ControlFlow::kNone;
    });
  }

  void FindNeeded() {
    for (const PlanNode* target : plan_->targets) {
      Of(target).needed = true;
      // A group that is run by name: so is what is in it.
      for (const PlanNode* control : target->control_inputs) Of(control).needed = true;
    }
    for (const PlanValue& fetch : plan_->fetches) Of(fetch.node).needed = true;
    const auto& nodes = plan_->nodes();
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      Facts& facts = Of(*node);
      facts.needed = facts.needed || !facts.idle;
      if (!facts.needed) continue;
      for (const PlanValue& input : (*node)->inputs) Of(input.node).needed = true;
    }
  }

  // The NoOp of a tf.tuple: who waits for it is the Identity of one of those that it waits for.
  void FindTuples() {
    for (const PlanNode* node : plan_->nodes()) Of(node).tuple = node->is("NoOp");
    for (const PlanNode* target : plan_->targets) Of(target).tuple = false;
    for (const PlanNode* node : plan_->nodes()) {
      for (const PlanNode* control : node->control_inputs) {
        const auto& tied = control->control_inputs;
        const bool takes_one =
            node->is("Identity") &&
            std::find(tied.begin(), tied.end(), node->inputs[0].node) != tied.end();
        if (!takes_one) Of(control).tuple = false;
      }
    }
  }

  // Gives places to what somebody may wait for.
  void Number() {
    const auto number = [this](PlanNode* node) {
      Facts& facts = Of(node);
      const bool stays = !facts.idle || (facts.needed && !IsSource(*node));
      if (!stays || facts.place >= 0) return;
      facts.place = static_cast<int>(places_.size());
      places_.push_back(node);
    };
    for (PlanNode* node : plan_->nodes()) {
      if (!Of(node).idle) number(node);
      for (PlanNode* control : node->control_inputs) number(control);
      if (Of(node).needed) continue;
      for (const PlanValue& input : node->inputs) number(input.node);
    }
  }

  // Fills in the node's sets, and says anew what it waits for. Its inputs have been looked at.
  void Look(PlanNode* node) {
    Facts& facts = Of(node);
    NodeSet waits(places_.size());
    NodeSet below(places_.size());
    facts.effects = facts.waits = facts.done = NodeSet(places_.size());
    for (const PlanValue& input : node->inputs) {
      if (ClosesLoop(input, *node)) continue;
      below.AddAll(Of(input.node).done);
      facts.effects.AddAll(Of(input.node).effects);
      facts.waits.AddAll(Of(input.node).waits);
    }
    for (const PlanNode* control : node->control_inputs) {
      waits.AddAll(facts.tuple ? Of(control).effects : Of(control).waits);
      facts.effects.AddAll(Of(control).effects);
    }
    facts.waits.AddAll(waits);
    waits.TakeAway(below);
    if (facts.needed && !node->control_inputs.empty()) WaitFor(waits, node);
    // Whether what is behind a Merge ran says nothing of what is before it.
    if (ControlFlowOf(*node) == ControlFlow::kNone) {
      facts.done = std::move(below);
      for (const PlanNode* control : node->control_inputs) facts.done.AddAll(Of(control).done);
    }
    if (facts.place < 0) return;
    facts.done.Add(static_cast<size_t>(facts.place));
    facts.waits = NodeSet(places_.size());
    facts.waits.Add(static_cast<size_t>(facts.place));
    if (facts.idle) return;
    facts.effects = facts.waits;
  }

  void WaitFor(const NodeSet& waits, PlanNode* node) {
    std::vector<PlanNode*> controls;
    NodeSet before(places_.size());  // has run when one of the others has
    for (size_t i = 0; i < places_.size(); ++i) {
      if (!waits.Has(i)) continue;
      controls.push_back(places_[i]);
      NodeSet done = Of(places_[i]).done;
      NodeSet itself(places_.size());
      itself.Add(i);
      done.TakeAway(itself);
      before.AddAll(done);
    }
    const auto is_before = [&](const PlanNode* control) {
      return before.Has(static_cast<size_t>(Of(control).place));
    };
    controls.erase(std::remove_if(controls.begin(), controls.end(), is_before), controls.end());
    if (std::is_permutation(controls.begin(), controls.end(), node->control_inputs.begin(),
                            node->control_inputs.end())) {
      return;
    }
    record_->changes.push_back(StrCat(node->name(), " waits for ", controls.size(), " instead of ",
                                      node->control_inputs.size()));
    node->control_inputs = std::move(controls);
  }

  PlanGraph* plan_;
  PassRecord* record_;
  std::vector<Facts> facts_;      // by position
  std::vector<PlanNode*> places_;
};

}  // namespace

Status DropWaits(PlanGraph* plan, PassRecord* record) {
  WaitDropper(plan, record).Run();
  return OkStatus();
}

}  // namespace tfbuild
