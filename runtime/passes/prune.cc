#include "passes/prune.h"

#include <unordered_map>

namespace tfbuild {
namespace {

class Pruner {
 public:
  Pruner(const Graph& graph, const RunSignature& signature)
      : graph_(graph),
        signature_(signature),
        needed_(static_cast<size_t>(graph.num_nodes())),
        copies_(needed_.size()) {}

  Result<PlanGraph> Prune() {
    plan_.functions = graph_.functions();
    RETURN_IF_ERROR(AddFeeds());
    FindNeeded();
    // Ids are a topological order, but for edges that close a loop: copies first, then edges.
    for (size_t id = 0; id < needed_.size(); ++id) {
      if (!needed_[id]) continue;
      const Node* node = graph_.node(static_cast<int>(id));
      if (node->op().name[0] == '_') {
        return InvalidArgument("'", node->name(), "' is a ", node->op().name,
                               ", which only passes may put into a graph");
      }
      copies_[id] = plan_.AddCopy(node);
    }
    for (PlanNode* copy : copies_) {
      if (copy != nullptr) Connect(copy);
    }
    for (const Endpoint& fetch : signature_.fetches) plan_.fetches.push_back(ValueOf(fetch));
    for (const Node* target : signature_.targets) plan_.targets.push_back(CopyOf(*target));
    RETURN_IF_ERROR(plan_.Sort());
    return std::move(plan_);
  }

 private:
  Status AddFeeds() {
    for (size_t i = 0; i < signature_.feeds.size(); ++i) {
      const Endpoint& feed = signature_.feeds[i];
      if (FeedOf(feed) != kNoFeed) {
        return InvalidArgument("'", feed.node->name(), ":", feed.index, "' is fed twice");
      }
      PlanNode* node = plan_.AddCopy(feed.node);
      node->feed = static_cast<int>(i);
      node->fed_output = feed.index;
      plan_.feeds.push_back(node);
      fed_nodes_[feed.node].push_back(i);
    }
    return OkStatus();
  }

  // The number of the feed that brings this value; kNoFeed when it is computed.
  int FeedOf(const Endpoint& value) const {
    const auto found = fed_nodes_.find(value.node);
    if (found == fed_nodes_.end()) return kNoFeed;
    for (const size_t i : found->second) {
      if (signature_.feeds[i].index == value.index) return static_cast<int>(i);
    }
    return kNoFeed;
  }

  // Whoever waits for a placeholder waits for its value; one that is fed has it from the start.
  bool IsFedPlaceholder(const Node& node) const {
    return node.op().name == "Placeholder" && fed_nodes_.count(&node) > 0;
  }

  void FindNeeded() {
    std::vector<const Node*> open;
    const auto need = [&](const Node* node) {
      const size_t id = static_cast<size_t>(node->id());
      if (!needed_[id]) open.push_back(node);
      needed_[id] = true;
    };
    const auto need_value = [&](const Endpoint& value) {
      const Endpoint source = SourceOf(value);
      if (FeedOf(source) == kNoFeed) need(source.node);
    };
    for (const Endpoint& fetch : signature_.fetches) need_value(fetch);
    for (const Node* target : signature_.targets) need(SourceOf(target));
    while (!open.empty()) {
      const Node* node = open.back();
      open.pop_back();
      for (const Endpoint& input : node->inputs()) need_value(input);
      for (const Node* control : node->control_inputs()) {
        if (!IsFedPlaceholder(*control)) need(SourceOf(control));
      }
    }
  }

  void Connect(PlanNode* copy) {
    for (const Endpoint& input : copy->def->inputs()) copy->inputs.push_back(ValueOf(input));
    for (const Node* control : copy->def->control_inputs()) {
      if (!IsFedPlaceholder(*control)) copy->control_inputs.push_back(CopyOf(*control));
    }
  }

  // What is computed in the place of a value, and run in that of a node: a call may be written out.
  Endpoint SourceOf(Endpoint value) const {
    while (FeedOf(value) == kNoFeed) {
      const Graph::WrittenOut* written = graph_.FindWrittenOut(value.node);
      if (written == nullptr) break;
      value = written->values[static_cast<size_t>(value.index)];
    }
    return value;
  }
  const Node* SourceOf(const Node* node) const {
    const Graph::WrittenOut* written = graph_.FindWrittenOut(node);
    return written == nullptr ? node : SourceOf(written->done);
  }

  PlanNode* CopyOf(const Node& node) const {
    return copies_[static_cast<size_t>(SourceOf(&node)->id())];
  }

  PlanValue ValueOf(const Endpoint& asked) const {
    const Endpoint value = SourceOf(asked);
    const int feed = FeedOf(value);
    if (feed != kNoFeed) return {plan_.feeds[static_cast<size_t>(feed)], value.index};
    return {copies_[static_cast<size_t>(value.node->id())], value.index};
  }

  const Graph& graph_;
  const RunSignature& signature_;
  PlanGraph plan_;
  std::vector<bool> needed_;
  std::unordered_map<const Node*, std::vector<size_t>> fed_nodes_;
  std::vector<PlanNode*> copies_;  // by id; null where nobody needs the node
};

}  // namespace

Result<PlanGraph> Prune(const Graph& graph, const RunSignature& signature) {
  return Pruner(graph, signature).Prune();
}

}  // namespace tfbuild
