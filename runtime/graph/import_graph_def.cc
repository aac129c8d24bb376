// Adding the nodes of a GraphDef to a graph.
#include <algorithm>
#include <charconv>
#include <queue>
#include <string_view>
#include <unordered_map>

#include "graph/function_library.h"
#include "graph/graph_def.h"

namespace tfbuild {
namespace {

struct InputName {
  std::string node;
  int index = 0;
  bool control = false;
};

Result<InputName> ParseInputName(const std::string& text) {
  InputName input;
  input.control = !text.empty() && text[0] == '^';
  const std::string name = input.control ? text.substr(1) : text;
  const size_t colon = name.rfind(':');
  input.node = name.substr(0, colon);
  if (colon != std::string::npos) {
    const char* begin = name.data() + colon + 1;
    const char* end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(begin, end, input.index);
    if (error != std::errc() || stop != end || input.index < 0) input.node.clear();
  }
  if (input.node.empty()) return InvalidArgument("'", text, "' does not name an input");
  return input;
}

class Importer {
 public:
  // The nodes' attributes are taken out of the GraphDef.
  Importer(GraphDef* graph_def, const ImportOptions& options, Graph* graph)
      : graph_def_(*graph_def), options_(options), graph_(graph) {}

  Result<std::vector<Node*>> Import() {
    RETURN_IF_ERROR(CountPending());
    size_t added = 0;
    for (; !ready_.empty(); ++added) {
      const size_t next = ready_.top();
      ready_.pop();
      RETURN_IF_ERROR(Add(next));
    }
    if (added < graph_def_.nodes.size()) {
      return InvalidArgument("the graph has a cycle through node '", SomeNodeOfACycle(),
                             "' that no NextIteration closes");
    }
    for (const BackEdge& edge : back_edges_) {
      Node* source = nodes_[edge.source];
      const Status status = graph_->CloseLoop(nodes_[edge.merge], edge.input, source);
      if (!status.ok()) return status.Annotate(StrCat("node '", nodes_[edge.merge]->name(), "'"));
    }
    for (const Node* node : nodes_) {
      if (CallKindOf(*node) != CallKind::kNone) RETURN_IF_ERROR(CheckCall(*node));
    }
    return nodes_;
  }

 private:
  Status CheckCall(const Node& call) const {
    const auto bodies = graph_->functions()->BodiesOf(call);
    if (!bodies.ok()) return bodies.status().Annotate(StrCat("node '", call.name(), "'"));
    return OkStatus();
  }

  // An input of a Merge that comes from a later NextIteration: set when both are there.
  struct BackEdge {
    size_t merge;
    int input;
    size_t source;
  };

  bool IsBackEdge(size_t reader, const InputName& input, size_t source) const {
    const std::string& reads = graph_def_.nodes[reader].op;
    const std::string& brings = graph_def_.nodes[source].op;
    return !input.control && (reads == "Merge" || reads == "RefMerge") &&
           (brings == "NextIteration" || brings == "RefNextIteration");
  }

  // Nodes become ready when the nodes they name have been added; the first ready one goes first.
  Status CountPending() {
    const size_t count = graph_def_.nodes.size();
    nodes_.resize(count);
    pending_.resize(count);
    successors_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (!index_.emplace(graph_def_.nodes[i].name, i).second) {
        return InvalidArgument("two nodes are named '", graph_def_.nodes[i].name, "'");
      }
    }
    for (size_t i = 0; i < count; ++i) {
      for (const std::string& text : graph_def_.nodes[i].inputs) {
        if (Mapped(text) != nullptr) continue;
        ASSIGN_OR_RETURN(const InputName input, ParseInputName(text));
        const auto source = index_.find(input.node);
        if (source == index_.end()) {
          return InvalidArgument("node '", graph_def_.nodes[i].name, "': input '", text,
                                 "' is not in the graph");
        }
        if (IsBackEdge(i, input, source->second)) continue;
        ++pending_[i];
        successors_[source->second].push_back(i);
      }
      if (pending_[i] == 0) ready_.push(i);
    }
    return OkStatus();
  }

  const Endpoint* Mapped(const std::string& text) const {
    auto found = options_.input_map.find(text);
    if (found == options_.input_map.end() && text.find(':') == std::string::npos) {
      found = options_.input_map.find(text + ":0");
    }
    return found == options_.input_map.end() ? nullptr : &found->second;
  }

  Status Add(size_t i) {
    NodeDef& def = graph_def_.nodes[i];
    const std::string prefix = options_.prefix.empty() ? "" : options_.prefix + "/";
    NodeSpec spec{prefix + def.name, def.op, {}, {}, std::move(def.attrs), std::move(def.device)};
    for (const std::string& text : def.inputs) {
      const Status status = AddInput(i, text, &spec);
      if (!status.ok()) return status.Annotate(StrCat("node '", def.name, "'"));
    }
    FillBackEdges(i, &spec);
    ASSIGN_OR_RETURN(nodes_[i], graph_->AddNode(std::move(spec)));
    for (const size_t successor : successors_[i]) {
      if (--pending_[successor] == 0) ready_.push(successor);
    }
    return OkStatus();
  }

  Status AddInput(size_t reader, const std::string& text, NodeSpec* spec) {
    if (const Endpoint* mapped = Mapped(text)) {
      spec->inputs.push_back(*mapped);
      return OkStatus();
    }
    ASSIGN_OR_RETURN(const InputName input, ParseInputName(text));
    const size_t from = index_.at(input.node);
    if (IsBackEdge(reader, input, from)) {
      back_edges_.push_back({reader, static_cast<int>(spec->inputs.size()), from});
      spec->inputs.push_back({});
      return OkStatus();
    }
    Node* source = nodes_[from];
    if (input.control) {
      spec->control_inputs.push_back(source);
    } else if (input.index >= source->num_outputs()) {
      return InvalidArgument("input '", text, "': '", source->name(), "' has only ",
                             source->num_outputs(), " outputs");
    } else {
      spec->inputs.push_back({source, input.index});
    }
    return OkStatus();
  }

  // Until its loop is closed a Merge has another of its inputs in the place of the one that closes
  // it: it is of the same type.
  void FillBackEdges(size_t merge, NodeSpec* spec) const {
    const auto first = std::find_if(spec->inputs.begin(), spec->inputs.end(),
                                    [](const Endpoint& input) { return input.node != nullptr; });
    if (first == spec->inputs.end()) {
      spec->inputs.clear();  // a Merge that nothing enters: what checks the node says so
      return;
    }
    // Those of the newest node are the last.
    for (auto edge = back_edges_.rbegin(); edge != back_edges_.rend() && edge->merge == merge; ++edge) {
      spec->inputs[static_cast<size_t>(edge->input)] = *first;
      spec->attrs.emplace("_shape_invariant", PartialShape());  // the file does not say
    }
  }

  std::string SomeNodeOfACycle() const {
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i] > 0) return graph_def_.nodes[i].name;
    }
    return "";
  }

  GraphDef& graph_def_;
  const ImportOptions& options_;
  Graph* graph_;
  std::vector<Node*> nodes_;
  std::vector<int> pending_;
  std::vector<std::vector<size_t>> successors_;
  std::unordered_map<std::string_view, size_t> index_;  // by the names in the GraphDef
  std::vector<BackEdge> back_edges_;
  std::priority_queue<size_t, std::vector<size_t>, std::greater<size_t>> ready_;
};

}  // namespace

Result<std::vector<Node*>> ImportGraphDef(GraphDef graph_def, const ImportOptions& options,
                                          Graph* graph) {
  const int nodes_before = graph->num_nodes();
  const size_t functions_before = graph->functions()->size();
  const auto undo = [&] {
    graph->Truncate(nodes_before);
    if (graph->functions()->size() > functions_before) graph->functions()->Truncate(functions_before);
  };
  const Status added = graph->functions()->Add(graph_def.library);
  if (!added.ok()) {
    undo();
    return added;
  }
  Result<std::vector<Node*>> nodes = Importer(&graph_def, options, graph).Import();
  if (!nodes.ok()) undo();
  return nodes;
}

}  // namespace tfbuild
